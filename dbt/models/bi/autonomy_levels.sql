select * from bi.autonomy_levels
