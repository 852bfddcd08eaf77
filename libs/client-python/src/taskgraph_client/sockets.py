"""Calls and pushes over a socket. Needs the extra ``taskgraph-client[sockets]``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

try:
    import socketio
except ImportError as error:
    raise ImportError("Sockets need the extra: pip install 'taskgraph-client[sockets]'") from error

from .errors import TaskgraphError, Unavailable, error_of
from .requests import plain_value

Push = Callable[[str, Mapping[str, Any]], None]


class Socket:
    """One connection, which is restored after a loss.

    on_push: called in a thread of the connection for each push, with its event and its payload.
    The events are those of docs/interface.md, such as ``graph:diff``.
    """

    def __init__(self, url: str, token: str, on_push: Push | None = None, *, timeout: float = 20.0) -> None:
        self._timeout = timeout
        self._socket = socketio.Client()
        refusals: list[TaskgraphError] = []
        self._socket.on("connect_error", lambda told: refusals.append(_refusal_of(told)))
        if on_push is not None:
            self._socket.on("*", on_push)
        try:
            self._socket.connect(
                url,
                auth={"api_token": token},
                transports=["websocket"],
                socketio_path="/ext-socket.io",
                wait_timeout=timeout,
            )
        except socketio.exceptions.ConnectionError as error:
            raise (refusals or [Unavailable("client.unreachable", f"The socket cannot connect: {error}")])[0] from error

    def __enter__(self) -> Socket:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection."""
        self._socket.disconnect()

    def call(self, event: str, payload: Mapping[str, Any], *, idempotency_key: str | None = None) -> Any:
        """Makes a call by its event, such as ``call("node:add", {"title": "Go live"})``.

        The call is not repeated. If it raises ``Unavailable`` with ``may_have_run``, call again with
        the same ``idempotency_key``: the command takes effect once.
        """
        key = {} if idempotency_key is None else {"idempotencyKey": idempotency_key}
        try:
            answer = self._socket.call(event, {**plain_value(payload), **key}, timeout=self._timeout)
        except socketio.exceptions.SocketIOError as error:
            raise Unavailable("client.disconnected", f"No answer came: {error!r}", may_have_run=True) from error
        if answer.get("ok") is not True:
            raise error_of(answer)
        return answer


def _refusal_of(told: Any) -> TaskgraphError:
    """The error in the ``data`` of a refused connection; without it, the connection failed."""
    data = told.get("data") if isinstance(told, dict) else None
    if data is None:
        return Unavailable("client.unreachable", f"The socket cannot connect: {told}")
    return error_of(data)
