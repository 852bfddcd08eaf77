"""A program as a user would write it, with the names that openapi-python-client generates."""

import os

from generated import AuthenticatedClient
from generated.api.history import batch_run
from generated.api.links import link_add
from generated.api.nodes import node_add, node_find, node_get
from generated.models import (
    BatchLinkAdd,
    BatchLinkAddPayload,
    BatchNodeAdd,
    BatchNodeAddPayload,
    BatchRun,
    BatchRunBody,
    Changed,
    FoundNodes,
    LinkAddBody,
    Node,
    NodeAddBody,
    Nodes,
    Refusal,
)

client = AuthenticatedClient(base_url=os.environ["TASKGRAPH_URL"], token=os.environ["TASKGRAPH_TOKEN"])


def make(title):
    answer = node_add.sync(client=client, body=NodeAddBody(title=title))
    assert isinstance(answer, Changed), answer
    return answer.diff.nodes[0].after.id


live, domain = make("Go live"), make("Set up the domain")
linked = link_add.sync(client=client, body=LinkAddBody(source=domain, target=live))
assert isinstance(linked, Changed), linked
refused = link_add.sync(client=client, body=LinkAddBody(source=live, target=domain))
assert isinstance(refused, Refusal) and refused.error == "conflict.duplicate_reversed_link", refused
operations = [
    BatchNodeAdd(event="node:add", payload=BatchNodeAddPayload(title="Choose a name"), as_="name"),
    BatchLinkAdd(event="link:add", payload=BatchLinkAddPayload(source="$name", target=str(domain))),
]
run = batch_run.sync(client=client, body=BatchRunBody(operations=operations))
assert isinstance(run, BatchRun), run
found = node_find.sync(client=client, text="domain", status=[2], leaf=False)
assert isinstance(found, FoundNodes), found
read = node_get.sync(client=client, ids=[live, domain, run.results[0].id], links=True)
assert isinstance(read, Nodes) and all(isinstance(node, Node) for node in read.nodes), read
statuses = [f"{node.title} {node.status}" for node in read.nodes]
print(", ".join([*sorted(statuses), f"{len(read.links)} links", f"found {found.nodes[0].title}"]))
