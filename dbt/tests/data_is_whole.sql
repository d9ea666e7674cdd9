{{ config(severity='warn') }}
-- Days that were asked for and are not held: figures of these days are too low.
select org_id, endpoint, usage_date, reason
from {{ ref('data_gaps') }}
