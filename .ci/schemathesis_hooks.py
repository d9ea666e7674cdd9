"""What OpenAPI cannot say of the platform, for schemathesis: first day <= last day < today, and which ids there are."""

import datetime

import schemathesis
from hypothesis import strategies as st

YESTERDAY = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=1)


def days(first, last):
    return st.dates(first, last).map(datetime.date.isoformat)


schemathesis.openapi.format("date", days(YESTERDAY - datetime.timedelta(days=6), YESTERDAY))
schemathesis.openapi.format("uri", st.from_regex(r"\Ahttps://[a-z]{1,10}\.example\.com/[a-z]{0,20}\Z"))
# Most of those that a seed makes: what there is not is asked for by the tests of wrong data.
schemathesis.openapi.format("computer-id", st.integers(1, 12).map("computer_{:06d}".format))
schemathesis.openapi.format("session-id", st.integers(1, 40).map("session_{:09d}".format))


@schemathesis.hook
def map_query(context, query):
    """A range begins with the earlier of its days."""
    if query and isinstance(query.get("startDate"), str) and isinstance(query.get("endDate"), str):
        query["startDate"], query["endDate"] = sorted([query["startDate"], query["endDate"]])
    return query
