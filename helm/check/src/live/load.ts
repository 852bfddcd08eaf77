// Some people at work for a while: enough that each graph of the dashboard has something to show.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TaskgraphClient } from '@taskgraph/client/connect';
import type { TestStack } from '@taskgraph/testkit/stack/stack';

const PEOPLE = 4;
/** Mean pause of one of them between two calls, milliseconds. */
const PAUSE_MS = 120;
/** Past the 120 a minute that the limit of this call allows. */
const HEALTH_CALLS = 140;
const CALL_LIMIT_MS = 30_000;

/** How many calls were answered, and how many failed for good. */
export interface Worked {
  done: number;
  failed: number;
}

/** Works until `until`, milliseconds of the clock of this process. Failures are counted: the outage makes some. */
export async function work(stack: TestStack, until: number): Promise<Worked> {
  const worked: Worked = { done: 0, failed: 0 };
  const names = Array.from({ length: PEOPLE }, (_, at) => `person${at}`);
  const url = stack.urls[0] as string;
  const clients = await Promise.all(
    names.map(async (name) => connect({ url, token: await stack.token(`${name}@example.com`) })),
  );
  try {
    await Promise.all([...clients.map((client) => workAs(client, until, worked)), askForHealth(url)]);
  } finally {
    for (const client of clients) client.close();
  }
  return worked;
}

async function workAs(client: TaskgraphClient, until: number, worked: Worked): Promise<void> {
  let last: string | undefined;
  for (let turn = 0; performance.now() < until; turn++) {
    try {
      last = await takeTurn(client, turn, last);
      worked.done++;
    } catch {
      // Counted, not told: while the database is away this is what it must come to.
      worked.failed++;
    }
    await sleep(PAUSE_MS * (0.5 + Math.random()));
  }
}

/** One call: a new task, a link to the one before, a rename, or a look. Gives the task to go on with. */
async function takeTurn(client: TaskgraphClient, turn: number, last: string | undefined): Promise<string | undefined> {
  const options = { timeoutMs: CALL_LIMIT_MS };
  if (turn % 4 === 3) {
    await client.trash.page({}, options);
    return last;
  }
  if (turn % 4 === 2 && last !== undefined) {
    await client.node.update({ id: last, title: `step ${turn}` }, options);
    return last;
  }
  const { diff } = await client.node.add({ title: `step ${turn}` }, options);
  const added = diff.nodes[0]?.after.id as string;
  if (last !== undefined) await client.link.add({ source: last, target: added, type: 0 }, options);
  return added;
}

async function askForHealth(url: string): Promise<void> {
  for (let call = 0; call < HEALTH_CALLS; call++) await (await fetch(`${url}/api/health`)).arrayBuffer();
}
