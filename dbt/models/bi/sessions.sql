select * from bi.sessions
