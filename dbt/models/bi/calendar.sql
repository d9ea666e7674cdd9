select * from bi.calendar
