select * from bi.computer_status
