select * from bi.session_hooks
