"""Sling: Python reads the records and streams them into its program, which upserts them into Postgres by key."""

import json
import os
import urllib.parse
import urllib.request
from collections.abc import Iterator
from datetime import date, timedelta

import sling_linux_amd64

os.environ["SLING_BINARY"] = sling_linux_amd64.SLING_BIN
from sling import Mode, Sling  # noqa: E402 (it looks for its program when it is imported)

FIRST, LAST = (date.fromisoformat(os.environ[name]) for name in ("FIRST_DAY", "LAST_DAY"))


def page(day: date, cursor: str | None) -> dict:
    """One answer of the platform."""
    query = {"startDate": day, "endDate": day, "limit": 100} | ({"cursor": cursor} if cursor else {})
    url = f"{os.environ['API_BASE_URL']}/api/v1/analytics/users?{urllib.parse.urlencode(query)}"
    headers = {"Authorization": f"Bearer {os.environ['API_KEY']}"}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
        return json.load(answer)


def records() -> Iterator[dict]:
    """All records, day by day and page by page."""
    for n in range((LAST - FIRST).days + 1):
        cursor = None
        while True:
            answer = page(FIRST + timedelta(days=n), cursor)
            # Python passes records as CSV, where a list must be a text.
            yield from (record | {"languages": json.dumps(record["languages"])} for record in answer["data"])
            if not answer["meta"]["has_more"]:
                break
            cursor = answer["meta"]["next_cursor"]


Sling(
    input=records(),
    tgt_conn=f"{os.environ['DATABASE_URL']}?sslmode=disable",
    tgt_object="peer.users",
    mode=Mode.INCREMENTAL,
    primary_key=["user_id", "date"],
).run()
