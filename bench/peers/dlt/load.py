"""dlt: its REST API source, merged into Postgres by key; `load.py fastest` takes what its page "Optimizing dlt" advises."""

import os
import sys
from collections.abc import Iterator
from datetime import date, timedelta

import dlt
from dlt.sources.rest_api import rest_api_source

FASTEST = sys.argv[1:] == ["fastest"]
FIRST, LAST = (date.fromisoformat(os.environ[name]) for name in ("FIRST_DAY", "LAST_DAY"))


@dlt.resource(selected=False)
def days() -> Iterator[list[dict[str, str]]]:
    """All days at once: each is asked for by itself."""
    yield [{"day": str(FIRST + timedelta(days=n))} for n in range((LAST - FIRST).days + 1)]


source = rest_api_source(
    {
        "client": {
            "base_url": os.environ["API_BASE_URL"],
            "auth": {"type": "bearer", "token": os.environ["API_KEY"]},
            "paginator": {"type": "cursor", "cursor_path": "meta.next_cursor", "cursor_param": "cursor"},
        },
        "resources": [
            days(),
            {
                "name": "users",
                "primary_key": ["user_id", "date"],
                "write_disposition": "merge",
                "parallelized": FASTEST,
                "endpoint": {
                    "path": "/api/v1/analytics/users",
                    "params": {
                        "startDate": "{resources.days.day}",
                        "endDate": "{resources.days.day}",
                        "limit": 100,
                    },
                    "data_selector": "data",
                },
            },
        ],
    }
)
pipeline = dlt.pipeline(
    "peers",
    destination=dlt.destinations.postgres(os.environ["DATABASE_URL"]),
    dataset_name="peer",
)
print(pipeline.run(source, loader_file_format="csv" if FASTEST else None))
