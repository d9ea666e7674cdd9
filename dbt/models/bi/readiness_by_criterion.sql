select * from bi.readiness_by_criterion
