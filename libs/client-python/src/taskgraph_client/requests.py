"""Requests with retries. A request is repeated only where that cannot execute a change twice."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Mapping
from datetime import date, datetime, timezone
from typing import Any, Literal

import httpx

from .errors import TaskgraphError, Unavailable, error_of

# A command has an idempotency key, so that it takes effect once, however often it is sent. An
# action has none: it is repeated only if the service has certainly not received it.
Kind = Literal["read", "command", "action"]

MOST_ATTEMPTS = 8
FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 5.0


class Requests:
    """Requests of one user. See ``Client`` for the parameters."""

    def __init__(self, url: str, token: str, *, timeout: float, rate_limit_wait: float) -> None:
        self._timeout = timeout
        self._rate_limit_wait = rate_limit_wait
        self._http = httpx.Client(base_url=url.rstrip("/"), headers={"Authorization": f"Bearer {token}"})

    def close(self) -> None:
        self._http.close()

    def send(
        self,
        method: str,
        path: str,
        fields: Mapping[str, Any],
        kind: Kind,
        *,
        idempotency_key: str | None = None,
        dry_run: bool = False,
        wait: float = 0,
    ) -> Any:
        """The body of the answer. ``wait``: the time that the service may delay it."""
        headers: dict[str, str] = {}
        query: dict[str, Any] = {"dryRun": "true"} if dry_run else {}
        if kind == "command" and not dry_run:
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        if method == "GET":
            query = {name: _query_text(plain_value(value)) for name, value in fields.items() if value is not None}
        request = self._http.build_request(
            method, path, params=query, headers=headers, json=None if method == "GET" else plain_value(fields)
        )
        return self._repeat(request, kind, wait)

    def _repeat(self, request: httpx.Request, kind: Kind, wait: float) -> Any:
        deadline = time.monotonic() + self._timeout + wait
        limited = self._rate_limit_wait
        attempts = 0
        may_have_run = False
        while True:
            try:
                return self._attempt(request, max(0.001, deadline - time.monotonic()))
            except TaskgraphError as error:
                may_have_run = (may_have_run or error.may_have_run) and kind != "read"
                error.may_have_run = may_have_run
                attempts += 1
                pause = _pause_of(error, attempts)
                if error.status == 429:
                    # The service has not executed it. Its waits do not count against the time-out.
                    if pause > limited:
                        raise
                    limited -= pause
                    deadline += pause
                elif (
                    not isinstance(error, Unavailable)
                    or (kind == "action" and may_have_run)
                    or attempts >= MOST_ATTEMPTS
                    or time.monotonic() + pause >= deadline
                ):
                    raise
                time.sleep(pause)

    def _attempt(self, request: httpx.Request, seconds: float) -> Any:
        request.extensions["timeout"] = httpx.Timeout(seconds).as_dict()
        try:
            response = self._http.send(request)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise Unavailable("client.unreachable", f"The service cannot be reached: {error}") from error
        except httpx.TransportError as error:
            message = f"The connection ended before the answer: {error}"
            raise Unavailable("client.disconnected", message, may_have_run=True) from error
        try:
            body = response.json()
        except ValueError:
            body = None
        if response.is_success and isinstance(body, dict):
            return body
        refusal = error_of(body, response.status_code)
        if "retryAfterMs" not in refusal.details and response.headers.get("Retry-After", "").isdigit():
            refusal.details["retryAfterMs"] = int(response.headers["Retry-After"]) * 1_000
        refusal.may_have_run = isinstance(refusal, Unavailable) and refusal.details.get("outcome") != "not_done"
        raise refusal


def _pause_of(error: TaskgraphError, attempts: int) -> float:
    """The time that the service asks for, or a random one that grows with the attempts."""
    asked = error.details.get("retryAfterMs")
    if error.status == 429 and isinstance(asked, (int, float)):
        return float(asked) / 1_000
    longest: float = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (attempts - 1))
    asked_seconds = float(asked) / 1_000 if isinstance(asked, (int, float)) else 0.0
    return max(min(asked_seconds, LONGEST_PAUSE_SECONDS), longest * random.uniform(0.5, 1))


def plain_value(value: Any) -> Any:
    """The same value with dates as texts."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone: use datetime.now(timezone.utc) or value.astimezone()")
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: plain_value(one) for name, one in value.items()}
    return [plain_value(one) for one in value] if isinstance(value, (list, tuple)) else value


def _query_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else value
