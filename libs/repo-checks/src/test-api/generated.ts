// A client in another language, created from /openapi.json by an external generator: in Python it
// adds nodes, links them and reads the graph.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../check-api/process.ts';
import { pythonTool, REPOSITORY } from '../check-api/tools.ts';

/**
 * A program as a user would write it, with the generator's names for operations, fields and
 * answers.
 */
const PROGRAM = `
import json, os
from generated import AuthenticatedClient
from generated.api.links import link_add
from generated.api.nodes import node_add
from generated.api.reading import graph_get
from generated.models import Changed, LinkAddBody, NodeAddBody, Refusal

client = AuthenticatedClient(base_url=os.environ["TASKGRAPH_URL"], token=os.environ["TASKGRAPH_TOKEN"])

def make(title):
    answer = node_add.sync(client=client, body=NodeAddBody(title=title))
    assert isinstance(answer, Changed), answer
    return answer.diff.nodes[0].after.id

target, source = make("Go live"), make("Set up the domain")
linked = link_add.sync(client=client, body=LinkAddBody(source=source, target=target))
assert isinstance(linked, Changed), linked
refused = link_add.sync(client=client, body=LinkAddBody(source=target, target=source))
assert isinstance(refused, Refusal) and refused.error == "conflict.duplicate_reversed_link", refused
page = graph_get.sync(client=client, limit=10)
print(json.dumps({"statuses": {node.title: node.status for node in page.nodes}, "links": len(page.links)}, sort_keys=True))
`;
const WANTED = '{"links": 1, "statuses": {"Go live": 2, "Set up the domain": 0}}';

/** Whether it succeeds; faults are printed. */
export async function askByPython({ url, token }: { url: string; token: string }): Promise<boolean> {
  const programs = pythonTool('openapi-python-client');
  if (programs === null) return tell('SKIPPED, this machine lacks Python 3', true);
  const folder = await mkdtemp(join(tmpdir(), 'taskgraph-python-'));
  try {
    // The generator formats with a tool next to it.
    const env = { PATH: `${programs}:${process.env.PATH}`, TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token };
    const described = ['--path', join(REPOSITORY, 'docs', 'api', 'openapi.json')];
    const given = [
      'generate',
      ...described,
      '--output-path',
      join(folder, 'generated'),
      '--meta',
      'none',
      '--fail-on-warning',
    ];
    const generated = run(join(programs, 'openapi-python-client'), given, { env });
    if (generated.status !== 0) return tell(generated.output, false);
    await writeFile(join(folder, 'plan.py'), PROGRAM);
    const { status, stdout, output } = run(join(programs, 'python'), ['plan.py'], { cwd: folder, env });
    if (status !== 0 || stdout.trim() !== WANTED) return tell(output, false);
    return tell('it makes nodes, links them and reads the graph', true);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function tell(text: string, isGood: boolean): boolean {
  process.stdout.write(`a client generated in Python: ${text}\n`);
  return isGood;
}
