select * from bi.adoption_by_client
