select * from bi.productivity_by_extension
