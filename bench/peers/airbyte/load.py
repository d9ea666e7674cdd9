"""Airbyte: PyAirbyte runs a declarative source and merges its records into its Postgres cache by key."""

import os
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import airbyte
from airbyte.caches import PostgresCache

FIRST, LAST = (date.fromisoformat(os.environ[name]) for name in ("FIRST_DAY", "LAST_DAY"))

source = airbyte.get_source(
    "source-platform",
    source_manifest=Path(__file__).with_name("manifest.yaml"),
    config={
        "api_url": os.environ["API_BASE_URL"],
        "api_key": os.environ["API_KEY"],
        "days": [str(FIRST + timedelta(days=n)) for n in range((LAST - FIRST).days + 1)],
    },
    streams="*",
)
database = urlsplit(os.environ["DATABASE_URL"])
cache = PostgresCache(
    host=database.hostname,
    port=database.port,
    username=database.username,
    password=database.password,
    database=database.path.lstrip("/"),
    schema_name="peer",
)
source.read(cache=cache, write_strategy="merge", force_full_refresh=True)
