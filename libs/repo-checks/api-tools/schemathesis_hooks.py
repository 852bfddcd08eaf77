"""Requests that Schemathesis leaves out, each for a reason that no schema can express."""

import re
from urllib.parse import urlencode

import schemathesis

# The native server of Node 20 waits for the rest of a request that has any other name of a header, though RFC 9110 allows more (SECURITY.md).
HEADER_NAME = re.compile(r"[A-Za-z0-9-]+")
# A request's line and headers have 16 KiB together; the server closes a connection that sends more.
URL_BYTES = 15_000


@schemathesis.hook
def filter_case(context, case):
    """A dry run takes no key (DRY1), and a request must be one that the server can read."""
    query, headers = case.query or {}, case.headers or {}
    is_dry_run = isinstance(query, dict) and "dryRun" in query
    if is_dry_run and any(name.lower() == "idempotency-key" for name in headers):
        return False
    return not isinstance(query, dict) or len(urlencode(query, doseq=True)) < URL_BYTES


@schemathesis.hook
def map_case(context, case):
    """Names of headers that the server can't read are left out: cases without them are too many to be drawn anew."""
    for name in list(case.headers or {}):
        if not HEADER_NAME.fullmatch(name):
            del case.headers[name]
    return case
