select * from bi.session_messages_by_day
