-- Whose usage does the warehouse hold?
select distinct org_id
from bi.data_freshness
order by org_id
