-- Whose usage does the warehouse hold?
select org_id
from bi.data_freshness
where endpoint = 'tokens'
order by org_id
