"""Errors of calls: a class for each kind, with the code of docs/errors.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class TaskgraphError(Exception):
    """A call failed.

    ``code`` is a code of the service, or begins with ``client.`` where the service gave no answer.
    ``details`` depends on the code. ``may_have_run`` says that an attempt of the call may have
    taken effect, although its answer never arrived.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        details: Mapping[str, Any] | None = None,
        trace_id: str = "",
        may_have_run: bool = False,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status
        self.details: dict[str, Any] = dict(details or {})
        self.trace_id = trace_id
        self.may_have_run = may_have_run


class BadRequest(TaskgraphError):
    """The request is malformed."""


class Unauthorized(TaskgraphError):
    """The token is not valid."""


class Forbidden(TaskgraphError):
    """The user's level does not permit the call."""


class NotFound(TaskgraphError):
    """The entity does not exist, or is not visible to the user."""


class Conflict(TaskgraphError):
    """The present state does not permit the call."""


class VersionConflict(Conflict):
    """The entity has changed since the given version."""


class RateLimited(TaskgraphError):
    """A limit is reached, and the time until the next call exceeds ``rate_limit_wait``."""


class Unavailable(TaskgraphError):
    """The service cannot answer now, or cannot be reached."""


class Internal(TaskgraphError):
    """The service failed. ``trace_id`` names the call in its log."""


class ResetRequired(TaskgraphError):
    """The position is too old. Read the graph again, and continue from its position."""


# The first part of a code gives its kind, also for codes of later releases.
_BY_FAMILY: dict[str, type[TaskgraphError]] = {
    "unauthorized": Unauthorized,
    "forbidden": Forbidden,
    "no_permission": Forbidden,
    "not_found": NotFound,
    "conflict": Conflict,
    "version_conflict": VersionConflict,
    "rate_limited": RateLimited,
    "unavailable": Unavailable,
    "internal": Internal,
}
_BY_STATUS = {401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 429: RateLimited, 503: Unavailable}


def error_of(body: Any, status: int = 0) -> TaskgraphError:
    """The error in the body of an answer. A proxy's answer has no code; its status decides."""
    if not isinstance(body, dict) or not isinstance(body.get("error"), str):
        kind = _BY_STATUS.get(status, Unavailable if status >= 500 else BadRequest)
        return kind("client.bad_answer", f"A status {status} came without an error body.", status=status)
    code: str = body["error"]
    kind = _BY_FAMILY.get(code.split(".")[0]) or _BY_STATUS.get(status, BadRequest)
    return kind(
        code,
        str(body.get("message", "")),
        status=status,
        details=body.get("details"),
        trace_id=str(body.get("trace_id", "")),
    )
