// A roll-out: every gateway and every worker restarts under load, behind a load balancer that uses
// the readiness probes.
import { rest } from '@taskgraph/client';
import { type LoadBalancer, startLoadBalancer } from '@taskgraph/testkit/stack/load-balancer';
import { readiness } from '@taskgraph/testkit/stack/probes';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentOf, type Listener, listen, textsOf, type Watcher, watch } from '../run/watchers.ts';
import { startPlainLoad } from '../upgrade/plain-load.ts';

const WAIT = { timeout: 120_000, interval: 50 };
const USERS = ['ann', 'bob', 'cem'];
/** Several times as long as the load balancer takes to ask. */
const NOTICE_MS = 400;

let stack: TestStack;
let balancer: LoadBalancer;
beforeAll(async () => {
  const environment = { STOP_NOTICE_MS: String(NOTICE_MS), COMMAND_DEADLINE_MS: '60000' };
  stack = await startTestStack({ workers: 2, gateways: 2, environment });
  balancer = await startLoadBalancer(stack.urls);
});
afterAll(async () => {
  await balancer?.close();
  await stack?.stop();
});

test('[EVT4, GEN8] a rolling restart fails no request, loses no diff, and moves each socket at most twice', async () => {
  const people = await Promise.all(
    USERS.map(async (name, index) => {
      const token = await stack.token(emailOf(name));
      const client = rest({ url: balancer.url, token });
      const { user } = await client.request<{ user: { id: string } }>('GET', '/api/me');
      const add = (): Promise<{ diff: { nodes: { after: { id: string } }[] } }> =>
        client.request('POST', '/api/node', { body: {} });
      const nodes = await Promise.all([add(), add()]);
      const ids = nodes.map(({ diff }) => diff.nodes[0]?.after.id ?? '');
      return { person: { index, token, id: user.id, email: emailOf(name) }, client, ids };
    }),
  );
  const listeners = people.map(({ person }): Listener => listen(person.email, balancer.url, person));
  const watchers = await Promise.all(people.map(({ person }): Promise<Watcher> => watch('w', balancer.url, person)));
  await expect.poll(() => listeners.every(({ connections }) => connections.length === 1), WAIT).toBe(true);
  const loads = people.flatMap(({ person, ids }) =>
    ids.map((id, index) =>
      startPlainLoad({ url: balancer.url, runUser: person, id, name: `plain${index}`, commands: [] }),
    ),
  );
  const goOn = async () => {
    const before = loads.map((load) => load.answered());
    await expect.poll(() => loads.every((load, index) => load.answered() > (before[index] ?? 0) + 5), WAIT).toBe(true);
  };
  await goOn();
  for (const name of ['gateway-1', 'worker-1', 'gateway-2', 'worker-2']) {
    const before = stack.service(name).restarts();
    stack.service(name).kill('SIGTERM');
    await expect.poll(() => stack.service(name).restarts(), WAIT).toBe(before + 1);
    await expect.poll(() => readiness(stack, name), WAIT).toMatchObject({ status: 200 });
    await goOn();
  }
  await Promise.all(loads.map((load) => load.stop()));
  expect(loads.flatMap(({ failures }) => failures)).toEqual([]);
  for (const [index, { client }] of people.entries()) {
    const page = await client.request<{ nodes: []; links: [] }>('GET', '/api/graph');
    const { replica } = watchers[index] as Watcher;
    await expect.poll(() => contentOf(replica), WAIT).toEqual(textsOf(page.nodes, page.links));
    const { connections } = listeners[index] as Listener;
    expect(connections.length).toBeLessThanOrEqual(3);
    for (const { pushes } of connections) {
      const [first = { seq: 0 }] = pushes;
      expect(pushes.map(({ seq }) => seq)).toEqual(pushes.map((_, place) => first.seq + place));
    }
  }
  for (const listener of listeners) listener.close();
  await Promise.all(watchers.map(({ replica }) => replica.close()));
});
