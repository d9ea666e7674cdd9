"""What OpenAPI cannot say of the platform, for schemathesis: first day <= last day < today, and which ids there are."""

import datetime

import schemathesis
from hypothesis import strategies as st

YESTERDAY = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=1)
# Every first day lies before every last one. A few days, because long ranges only take time.
MIDDLE = YESTERDAY - datetime.timedelta(days=3)


def days(first, last):
    return st.dates(first, last).map(datetime.date.isoformat)


schemathesis.openapi.format("first-day", days(MIDDLE - datetime.timedelta(days=3), MIDDLE))
schemathesis.openapi.format("last-day", days(MIDDLE, YESTERDAY))
schemathesis.openapi.format("uri", st.from_regex(r"\Ahttps://[a-z]{1,10}\.example\.com/[a-z]{0,20}\Z"))
# Most of those that a seed makes: what there is not is asked for by the tests of wrong data.
schemathesis.openapi.format("computer-id", st.integers(1, 12).map("computer_{:06d}".format))
schemathesis.openapi.format("session-id", st.integers(1, 40).map("session_{:09d}".format))
