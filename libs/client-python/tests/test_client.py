"""Retries and walks against a small server with a script. Run by `npm run test:clients`."""

from __future__ import annotations

import json
import socket
import threading
import unittest
from datetime import date, datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from taskgraph_client import (
    Client,
    Conflict,
    Forbidden,
    NotFound,
    RateLimited,
    ResetRequired,
    TaskgraphError,
    Unavailable,
)
from taskgraph_client.errors import VersionConflict, error_of

Answer = tuple[int, dict[str, str], dict[str, Any]]
DONE: Answer = (200, {}, {"ok": True})
LOST = "lost"


def refusal(status: int, code: str, headers: dict[str, str] | None = None, **details: Any) -> Answer:
    return (status, headers or {}, {"ok": False, "error": code, "message": code, "details": details, "trace_id": "0" * 32})


class Script:
    """A server that gives these answers in turn, and records the requests."""

    def __init__(self, *answers: Answer | str) -> None:
        self.requests: list[tuple[str, str | None]] = []
        self.bodies: list[Any] = []
        rest = list(answers)
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                text = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                script.bodies.append(json.loads(text or "null"))
                script.requests.append((self.path, self.headers.get("Idempotency-Key")))
                answer = rest.pop(0)
                if isinstance(answer, str):
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                status, headers, body = answer
                sent = json.dumps(body).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(sent))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(sent)

            do_GET = do_POST

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # A short interval, because each stop waits for it.
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> Script:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def client(self, **options: float) -> Client:
        return Client(f"http://127.0.0.1:{self.server.server_port}", "tg_token", **options)


class Retries(unittest.TestCase):
    def test_a_command_keeps_its_key_over_lost_connections_and_503(self) -> None:
        with Script(LOST, refusal(503, "unavailable", {"Retry-After": "1"}), DONE) as script, script.client() as client:
            client.node.add(title="Go live")
        self.assertEqual(len(script.requests), 3)
        self.assertEqual(len({key for _, key in script.requests}), 1)
        self.assertIsNotNone(script.requests[0][1])

    def test_two_commands_have_two_keys(self) -> None:
        with Script(DONE, DONE) as script, script.client() as client:
            client.node.add(title="One")
            client.node.add(title="Two")
        self.assertEqual(len({key for _, key in script.requests}), 2)

    def test_an_action_without_a_key_is_not_repeated_if_it_may_have_run(self) -> None:
        with Script(LOST) as script, script.client() as client:
            with self.assertRaises(Unavailable) as raised:
                client.call("POST", "/api/token", {"name": "laptop"})
        self.assertTrue(raised.exception.may_have_run)
        self.assertEqual(len(script.requests), 1)

    def test_an_action_is_repeated_if_the_service_has_not_executed_it(self) -> None:
        with Script(refusal(503, "unavailable", outcome="not_done"), DONE) as script, script.client() as client:
            client.call("POST", "/api/token", {"name": "laptop"})
        self.assertEqual(script.requests, [("/api/token", None)] * 2)

    def test_a_dry_run_has_no_key(self) -> None:
        with Script(DONE) as script, script.client() as client:
            client.node.add(title="Go live", dry_run=True)
        self.assertEqual(script.requests, [("/api/node?dryRun=true", None)])

    def test_a_rate_limit_is_waited_for_within_its_bound(self) -> None:
        limited = refusal(429, "rate_limited", {"Retry-After": "1"}, retryAfterMs=30)
        with Script(limited, DONE) as script, script.client() as client:
            client.graph.get(limit=1)
        self.assertEqual(len(script.requests), 2)
        late = refusal(429, "rate_limited", retryAfterMs=3_600_000)
        with Script(late) as script, script.client() as client:
            self.assertRaises(RateLimited, client.graph.get)

    def test_a_refusal_is_not_repeated(self) -> None:
        with Script(refusal(409, "conflict.cycle", path=[])) as script, script.client() as client:
            with self.assertRaises(Conflict) as raised:
                client.link.add(source="a", target="b")
        self.assertEqual(raised.exception.code, "conflict.cycle")
        self.assertEqual(len(script.requests), 1)

    def test_lists_and_booleans_of_a_query_are_texts(self) -> None:
        with Script(DONE) as script, script.client() as client:
            client.node.get(ids=["a", "b"], links=True)
        self.assertEqual(script.requests[0][0], "/api/node?ids=a%2Cb&links=true")


class Times(unittest.TestCase):
    def test_dates_are_sent_as_texts(self) -> None:
        east = timezone(timedelta(hours=2))
        with Script(DONE) as script, script.client() as client:
            client.call(
                "POST",
                "/api/batch/run",
                {"operations": [{"day": date(2026, 12, 24), "times": (datetime(2026, 12, 24, 1, 30, tzinfo=east),)}]},
            )
        self.assertEqual(
            script.bodies, [{"operations": [{"day": "2026-12-24", "times": ["2026-12-23T23:30:00.000Z"]}]}]
        )

    def test_a_time_without_a_zone_is_refused_before_it_is_sent(self) -> None:
        with Script(DONE) as script, script.client() as client, self.assertRaisesRegex(ValueError, "time zone"):
            client.call("POST", "/api/node", {"dueDate": datetime(2026, 12, 24)})
        self.assertEqual(script.requests, [])


def changes_page(title: str | None, position: str, cursor: str | None = None) -> Answer:
    gone: dict[str, Any] = {"nodes": [], "links": []}
    nodes = [] if title is None else [{"title": title}]
    feeds: dict[str, Any] = {"gained": [], "lost": []}
    page = {"nodes": nodes, "links": [], "gone": gone, "feeds": feeds, "position": position, "next": cursor}
    return (200, {}, {"ok": True, **page})


class Changes(unittest.TestCase):
    def test_every_page_with_changes_is_told_once_and_in_order(self) -> None:
        answers = [
            changes_page("One", "p1", "c1"),
            changes_page("Two", "p1"),
            changes_page(None, "p2"),
            LOST,
            changes_page("Three", "p3"),
        ]
        with Script(*answers) as script, script.client() as client:
            pages = client.changes(since="p0", wait=5)
            titles = [next(pages)["nodes"][0]["title"] for _ in range(3)]
        self.assertEqual(titles, ["One", "Two", "Three"])
        walk = [{"since": "p0", "wait": 5}, {"since": "p0", "cursor": "c1"}, {"since": "p1", "wait": 5}]
        self.assertEqual(script.bodies, [*walk, *[{"since": "p2", "wait": 5}] * 2])

    def test_a_position_that_is_too_old_raises(self) -> None:
        with Script((200, {}, {"ok": True, "resetRequired": True})) as script, script.client() as client:
            self.assertRaises(ResetRequired, next, client.changes(since="p0"))


class Batches(unittest.TestCase):
    def test_names_become_ids_after_the_run(self) -> None:
        results = [{"id": "n1"}, {"id": "n2", "link": "l1"}, {}]
        with Script((200, {}, {"ok": True, "results": results})) as script, script.client() as client:
            batch = client.new_batch()
            live = batch.node.add(title="Go live")
            domain = batch.node.add(title="Set up the domain", target=live.id)
            batch.link.update(id=domain.link, type=1)
            batch.run()
        live_add, domain_add, update = script.bodies[0]["operations"]
        self.assertEqual(domain_add["payload"]["target"], "$" + live_add["as"])
        self.assertEqual(update["payload"]["id"], "$" + domain_add["as"] + ".link")
        self.assertEqual((live.id, domain.id, domain.link), ("n1", "n2", "l1"))


class Errors(unittest.TestCase):
    def test_the_first_part_of_a_code_gives_the_class(self) -> None:
        for code, kind in {
            "forbidden.read_only": Forbidden,
            "not_found": NotFound,
            "version_conflict": VersionConflict,
            "conflict.of_a_later_release": Conflict,
        }.items():
            self.assertIs(type(error_of({"ok": False, "error": code, "message": ""}, 400)), kind)

    def test_an_answer_of_a_proxy_counts_by_its_status(self) -> None:
        error = error_of(None, 502)
        self.assertIsInstance(error, Unavailable)
        self.assertEqual((error.code, error.status), ("client.bad_answer", 502))
        self.assertIsInstance(error, TaskgraphError)


if __name__ == "__main__":
    unittest.main()
