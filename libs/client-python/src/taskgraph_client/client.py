"""The client: all calls of a user with a token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from .batch import Batch
from .errors import ResetRequired
from .operations import KINDS, Operations
from .requests import Requests

if TYPE_CHECKING:
    from . import models

LONGEST_WAIT_SECONDS = 55


class Client(Operations):
    """Calls of one user.

    url: the address of the service, without ``/api``. token: an API token.
    timeout: seconds for all attempts of a call. rate_limit_wait: the most seconds that a call
    waits, in addition, for a rate limit.

    Each group of calls is an attribute: ``client.node.add(title="Go live")``. A call returns the
    answer as a dictionary, or raises a ``TaskgraphError``. A client may be shared by threads.
    """

    def __init__(self, url: str, token: str, *, timeout: float = 20.0, rate_limit_wait: float = 20.0) -> None:
        self._requests = Requests(url, token, timeout=timeout, rate_limit_wait=rate_limit_wait)
        super().__init__(self._requests)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._requests.close()

    def call(self, method: str, path: str, fields: Mapping[str, Any] | None = None) -> Any:
        """Any call by its route, such as ``call("POST", "/api/node", {"title": "Go live"})``."""
        kind = KINDS.get((method, path), "read" if method == "GET" else "action")
        return self._requests.send(method, path, fields or {}, kind)

    def new_batch(self) -> Batch:
        """Several operations for one call: all of them happen, or none."""
        return Batch(self)

    def graph_pages(self, **fields: Any) -> Iterator[models.GraphPage]:
        """All pages of the user's graph. The first has the ``position`` for ``changes``."""
        after: str | None = None
        while True:
            page = self.graph.get(**fields) if after is None else self.graph.get(**fields, after=after)
            yield page
            after = page["next"]
            if after is None:
                return

    def changes(self, since: str | None = None, *, wait: int = LONGEST_WAIT_SECONDS) -> Iterator[models.ChangesPage]:
        """Follows the user's graph without an end: each page of changes since a position.

        since: the ``position`` of an earlier answer; by default, of now. wait: the most seconds,
        1 to 55, for which the service delays an answer without changes. Continue later from the
        ``position`` of a page without ``hasMore``. Raises ``ResetRequired`` if the service can no
        longer tell all changes.
        """
        position = since if since is not None else self.graph.get(limit=1)["position"]
        while True:
            cursor: str | None = None
            while True:
                fields: dict[str, Any] = {"since": position}
                fields.update({"wait": wait} if cursor is None else {"cursor": cursor})
                page = self._requests.send("POST", "/api/changes", fields, "read", wait=wait)
                if page.get("resetRequired"):
                    raise ResetRequired("client.reset_required", "The position is too old: read the graph again.")
                if _has_content(page):
                    yield cast("models.ChangesPage", page)
                cursor = page["next"]
                if cursor is None:
                    break
            position = page["position"]


def _has_content(page: Mapping[str, Any]) -> bool:
    lists = [page["nodes"], page["links"], *page["gone"].values(), page["feeds"]["gained"], page["feeds"]["lost"]]
    return any(lists)
