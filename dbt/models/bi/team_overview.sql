select * from bi.team_overview
