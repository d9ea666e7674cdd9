"""dlt: its REST API source, merged into Postgres by key; `fastest` follows the advice of "Optimizing dlt"."""

import os
import sys
from collections.abc import Iterator
from datetime import date, timedelta

import dlt
from dlt.sources.rest_api import rest_api_source


@dlt.resource(selected=False)
def days() -> Iterator[list[dict[str, str]]]:
    """All days; each is requested separately."""
    first, last = (date.fromisoformat(os.environ[name]) for name in ("FIRST_DAY", "LAST_DAY"))
    yield [{"day": str(first + timedelta(days=n))} for n in range((last - first).days + 1)]


def main(fastest: bool) -> None:
    """Loads all days."""
    if fastest:
        # Files small enough to share between two processors, without compression.
        dlt.config["normalize.workers"] = 2
        dlt.config["data_writer.file_max_items"] = 20_000
        dlt.config["data_writer.disable_compression"] = True
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
                    "parallelized": fastest,
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
    pipeline.run(source, loader_file_format="csv" if fastest else None)


if __name__ == "__main__":
    main(fastest=sys.argv[1:] == ["fastest"])
