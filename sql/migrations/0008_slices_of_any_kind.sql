-- What the ledger's columns say of slices that are no days.

comment on table etl.slice is 'One row per organization, endpoint and slice: the unit that is fetched, compared, loaded and retried as one. What a slice is depends on the endpoint: a UTC day, the snapshot of a day, a whole list, or what belongs to one parent.';
comment on column etl.slice.endpoint is 'Endpoint, such as tokens or users.';
comment on column etl.slice.usage_date is 'UTC day of the slice, the day of its reading for a snapshot; null where slices are no days.';
comment on column etl.slice.slice_key is 'What the slice replaces: the day as YYYY-MM-DD, the id of a parent, or all.';
comment on column etl.slice.row_count is 'Rows stored in the main table of the endpoint, flagged ones included.';
