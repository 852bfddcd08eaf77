"""Builds a ``batch:run``. Operations of a batch may refer to entities that the batch creates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .operations import BatchOperations

if TYPE_CHECKING:
    from . import models
    from .client import Client


class Created:
    """An entity that an operation of a batch creates.

    Before the batch runs, ``id`` is a name for later operations of the batch; afterwards it is the
    id of the entity. ``link`` is the same for the link of a new node to its ``target``.
    """

    def __init__(self, name: str) -> None:
        self.id = f"${name}"
        self.link = f"${name}.link"


class Batch(BatchOperations):
    """Operations in their order: ``batch.node.add(title="Go live")``, then ``batch.run()``."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._operations: list[Any] = []
        self._created: dict[int, Created] = {}
        super().__init__(self)

    def append(self, event: str, payload: dict[str, Any], *, creates: bool) -> Created | None:
        """Adds an operation."""
        operation: dict[str, Any] = {"event": event, "payload": payload}
        index = len(self._operations)
        self._operations.append(operation)
        if not creates:
            return None
        operation["as"] = f"e{index}"
        self._created[index] = Created(f"e{index}")
        return self._created[index]

    def run(self, *, idempotency_key: str | None = None, dry_run: bool = False) -> models.BatchRun:
        """Executes all operations or none. The error of a refused operation has its ``index``."""
        answer = self._client.batch.run(
            operations=self._operations, idempotency_key=idempotency_key, dry_run=dry_run
        )
        if not dry_run:
            for index, created in self._created.items():
                result = answer["results"][index]
                created.id = result.get("id", created.id)
                created.link = result.get("link", created.link)
        return answer
