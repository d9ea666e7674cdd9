"""dlt with days as Arrow tables, which it does not normalize: types are declared, languages are one text."""

import json
import os
from collections.abc import Iterator
from datetime import date, timedelta

import dlt
import pyarrow as pa
from dlt.sources.helpers.rest_client import RESTClient
from dlt.sources.helpers.rest_client.auth import BearerTokenAuth
from dlt.sources.helpers.rest_client.paginators import JSONResponseCursorPaginator

KEYS = ("user_id", "date")
TEXTS = ("user_email", "primary_model", "primary_model_tier", "delegation_level", "languages")
COUNTS = (
    "tool_calls files_created files_edited git_commits git_prs_created mcp_calls skill_calls slash_commands "
    "hooks sessions messages user_messages assistant_messages"
).split()
SCHEMA = pa.schema(
    [
        *(pa.field(name, pa.string(), nullable=False) for name in KEYS),
        *(pa.field(name, pa.string()) for name in TEXTS),
        *(pa.field(name, pa.int64()) for name in COUNTS),
        *(pa.field(name, pa.float64()) for name in ("billable_tokens", "autonomy_ratio")),
    ]
)

client = RESTClient(
    os.environ["API_BASE_URL"],
    auth=BearerTokenAuth(os.environ["API_KEY"]),
    paginator=JSONResponseCursorPaginator(cursor_path="meta.next_cursor", cursor_param="cursor"),
    data_selector="data",
)


@dlt.resource(selected=False)
def days() -> Iterator[str]:
    """All days; each is requested separately."""
    first, last = (date.fromisoformat(os.environ[name]) for name in ("FIRST_DAY", "LAST_DAY"))
    yield from (str(first + timedelta(days=n)) for n in range((last - first).days + 1))


@dlt.transformer(data_from=days, primary_key=list(KEYS), write_disposition="merge", parallelized=True)
def users(day: str) -> Iterator[pa.Table]:
    """All user-days of a day."""
    pages = client.paginate(
        "/api/v1/analytics/users", params={"startDate": day, "endDate": day, "limit": 100}
    )
    records = [record | {"languages": json.dumps(record["languages"])} for page in pages for record in page]
    yield pa.Table.from_pylist(records, schema=SCHEMA)


pipeline = dlt.pipeline(
    "peers",
    destination=dlt.destinations.postgres(os.environ["DATABASE_URL"]),
    dataset_name="peer",
)
pipeline.run(users, loader_file_format="csv")
