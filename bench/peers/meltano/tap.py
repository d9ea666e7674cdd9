"""A tap made with Meltano's Singer SDK; its target for Postgres reads the output."""

from collections.abc import Iterable
from datetime import date, timedelta

from singer_sdk import RESTStream, Tap
from singer_sdk import typing as th
from singer_sdk.authenticators import BearerTokenAuthenticator
from singer_sdk.pagination import JSONPathPaginator

TEXTS = ("user_id", "user_email", "primary_model", "primary_model_tier", "delegation_level")
COUNTS = (
    "tool_calls files_created files_edited git_commits git_prs_created mcp_calls skill_calls slash_commands "
    "hooks sessions messages user_messages assistant_messages"
).split()


class Users(RESTStream):
    """User-days; a partition of the stream is a day."""

    name = "users"
    path = "/api/v1/analytics/users"
    primary_keys = ("user_id", "date")
    records_jsonpath = "$.data[*]"
    schema = th.PropertiesList(
        *(th.Property(name, th.StringType) for name in TEXTS),
        *(th.Property(name, th.IntegerType) for name in COUNTS),
        th.Property("date", th.DateType),
        th.Property("billable_tokens", th.NumberType),
        th.Property("autonomy_ratio", th.NumberType),
        th.Property("languages", th.ArrayType(th.StringType)),
    ).to_dict()

    @property
    def url_base(self) -> str:
        """The base URL of the platform."""
        return self.config["api_url"]

    @property
    def authenticator(self) -> BearerTokenAuthenticator:
        """The credential as a header."""
        return BearerTokenAuthenticator(token=self.config["api_key"])

    @property
    def partitions(self) -> list[dict]:
        """All days; each is requested separately."""
        first, last = (date.fromisoformat(self.config[name]) for name in ("first_day", "last_day"))
        return [{"day": str(first + timedelta(days=n))} for n in range((last - first).days + 1)]

    def get_new_paginator(self) -> JSONPathPaginator:
        """Follows the cursor of each answer."""
        return JSONPathPaginator("$.meta.next_cursor")

    def get_url_params(self, context: dict | None, next_page_token: str | None) -> dict:
        """The query of one page."""
        day = (context or {})["day"]
        return {"startDate": day, "endDate": day, "limit": 100} | (
            {"cursor": next_page_token} if next_page_token else {}
        )


class Platform(Tap):
    """The platform's analytics."""

    name = "tap-platform"
    config_jsonschema = th.PropertiesList(
        *(
            th.Property(name, th.StringType, required=True)
            for name in ("api_url", "api_key", "first_day", "last_day")
        )
    ).to_dict()

    def discover_streams(self) -> Iterable[Users]:
        """The one stream."""
        return [Users(self)]


Platform.cli()
