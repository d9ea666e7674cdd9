select * from bi.user_languages
