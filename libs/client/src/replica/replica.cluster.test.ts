// Replicas against a running stack: after lost connections, revocation, restoration and restarts
// they equal the answer of `graph:get`.
import { breakableProxy } from '@taskgraph/testkit/stack/breakable-proxy';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { connect, type TaskgraphClient } from '../connect.ts';
import type { Entity } from '../merge-diff.ts';
import { memoryStorage } from '../storage/memory-storage.ts';
import type { ReplicaStorage } from '../storage/storage.ts';
import type { Replica } from './contract.ts';
import { openReplica } from './open-replica.ts';

const WAIT = { timeout: 120_000, interval: 50 };
const stack = sharedStack();
const tokens: Record<string, string> = {};
beforeAll(async () => {
  for (const name of ['ann', 'bob', 'cem', 'dan']) tokens[name] = await stack.token(emailOf(name));
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function clientOf(name: string, gateway = 0): Promise<TaskgraphClient> {
  const client = await connect({ url: stack.urls[gateway] as string, token: tokens[name] as string });
  closing.push(() => client.close());
  return client;
}

async function replicaOf(name: string, url: string, storage: ReplicaStorage = memoryStorage()): Promise<Replica> {
  const replica = await openReplica({ url, token: tokens[name] as string, storage });
  closing.push(() => replica.close());
  await expect.poll(() => replica.state, WAIT).toBe('live');
  return replica;
}

async function proxyTo(gateway: number) {
  const proxy = await breakableProxy(stack.urls[gateway] as string);
  closing.push(() => proxy.close());
  return proxy;
}

/**
 * The compared fields. Share roots are those of an entity's last change, and pages have only some
 * fields of links.
 */
const plainNode = ({ shareRoots: _roots, ...node }: Entity) => node;
const plainLink = ({ id, source, target, type, version, private: hidden }: Entity) => ({
  id,
  source,
  target,
  type,
  version,
  hidden,
});
const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);

async function pagesOf(client: TaskgraphClient) {
  const [nodes, links]: [Entity[], Entity[]] = [[], []];
  for await (const page of client.graph.pages({ limit: 20 })) {
    nodes.push(...(page.nodes as Entity[]));
    links.push(...(page.links as Entity[]));
  }
  return { nodes: nodes.map(plainNode).sort(byId), links: links.map(plainLink).sort(byId) };
}

function shownBy(replica: Replica) {
  const { nodes, links } = replica.snapshot();
  return { nodes: [...nodes.values()].map(plainNode).sort(byId), links: [...links.values()].map(plainLink).sort(byId) };
}

async function expectEqual(replica: Replica, client: TaskgraphClient): Promise<void> {
  const wanted = await pagesOf(client);
  await expect.poll(() => shownBy(replica), WAIT).toEqual(wanted);
  await expect.poll(() => replica.state, WAIT).toBe('live');
}

const made = (diff: { nodes: { op: number; after: Record<string, unknown> }[] }) =>
  String(diff.nodes.find(({ op }) => op === 0)?.after.id);

/** A root with children and one grandchild. */
async function plant(client: TaskgraphClient) {
  const root = made((await client.node.add({ title: 'root' })).diff);
  const children: string[] = [];
  for (const title of ['one', 'two', 'three'])
    children.push(made((await client.node.add({ title, target: root })).diff));
  children.push(made((await client.node.add({ title: 'below', target: children[0] as string })).diff));
  return { root, children };
}

test('[EVT1, EVT2] a replica that was cut off receives the changes made meanwhile, and equals a connected replica', async () => {
  const [ann, proxy] = [await clientOf('ann', 0), await proxyTo(1)];
  const { root, children } = await plant(ann);
  const [near, far] = [await replicaOf('ann', stack.urls[0] as string), await replicaOf('ann', proxy.url)];
  await expectEqual(far, ann);
  for (let turn = 0; turn < 3; turn++) {
    proxy.cut();
    await expect.poll(() => far.state, WAIT).toBe('offline');
    if (turn > 0) await ann.node.restore({ id: children[turn - 1] as string });
    for (const id of children) await ann.node.update({ id, title: `title ${turn}`, volume: turn });
    await ann.node.trash({ id: children[turn] as string });
    const added = made((await ann.node.add({ title: `added ${turn}`, target: root })).diff);
    await ann.link.add({ source: added, target: children.at(-1) as string });
    proxy.mend();
    await expectEqual(far, ann);
  }
  await expectEqual(near, ann);
});

test('[ACL7, EVT2] revoked entities leave a replica at once, also while it is cut off, and return with the grant', async () => {
  const [ann, bob, proxy] = [await clientOf('ann', 0), await clientOf('bob', 1), await proxyTo(1)];
  const { root, children } = await plant(ann);
  const own = await plant(bob);
  const replica = await replicaOf('bob', proxy.url);
  await ann.access.grant({ id: root, email: emailOf('bob'), level: 2 });
  await expect.poll(() => replica.snapshot().nodes.has(children[3] as string), WAIT).toBe(true);
  await expectEqual(replica, bob);

  const seenAfter: string[] = [];
  let isRevoked = false;
  replica.on('access', ({ change }) => {
    isRevoked = change === 'lost';
  });
  replica.on('node:added', ({ node }) => {
    if (isRevoked && !own.children.includes(node.id) && node.id !== own.root) seenAfter.push(node.id);
  });
  await ann.access.revoke({ id: root, email: emailOf('bob') });
  await ann.node.update({ id: children[0] as string, title: 'secret' });
  await expect.poll(() => isRevoked, WAIT).toBe(true);
  expect([root, ...children].filter((id) => replica.snapshot().nodes.has(id))).toEqual([]);
  await expectEqual(replica, bob);
  expect(seenAfter).toEqual([]);

  await ann.access.grant({ id: root, email: emailOf('bob'), level: 3 });
  await expect.poll(() => replica.snapshot().nodes.get(children[0] as string)?.title, WAIT).toBe('secret');
  await expectEqual(replica, bob);
  proxy.cut();
  await expect.poll(() => replica.state, WAIT).toBe('offline');
  await ann.access.revoke({ id: root, email: emailOf('bob') });
  await ann.node.add({ title: 'secret too', target: root });
  proxy.mend();
  await expect.poll(() => replica.snapshot().nodes.has(root), WAIT).toBe(false);
  await expectEqual(replica, bob);
});

test('[GEN8] offline commands run once and in order, also after a restart', async () => {
  const [cem, proxy, storage] = [await clientOf('cem', 0), await proxyTo(1), memoryStorage()];
  const { root } = await plant(cem);
  const first = await replicaOf('cem', proxy.url, storage);
  proxy.cut();
  await expect.poll(() => first.state, WAIT).toBe('offline');
  const kept = Promise.allSettled([
    ...Array.from({ length: 5 }, (_, turn) => first.send('node:update', { id: root, title: `offline ${turn}` })),
    first.send('node:add', { title: 'made offline', target: root }),
    first.send('node:update', { id: root, status: 7 }),
  ]);
  expect(first.snapshot().nodes.get(root)?.title).toBe('offline 4');
  await first.close();
  expect((await kept).every(({ status }) => status === 'rejected')).toBe(true);

  proxy.mend();
  const second = await openReplica({ url: proxy.url, token: tokens.cem as string, storage });
  closing.push(() => second.close());
  const refused: string[] = [];
  second.on('command:refused', ({ error }) => refused.push(error.code));
  await expect.poll(() => second.waiting, WAIT).toBe(0);
  await expectEqual(second, cem);
  const { nodes } = second.snapshot();
  expect(refused).toEqual(['bad_request.out_of_range']);
  expect([nodes.get(root)?.title, nodes.get(root)?.status]).toEqual(['offline 4', 2]);
  // Each update is one version step.
  const history = await cem.history.page({ scopeType: 'NODE', scopeId: root, limit: 100 });
  const titles = history.batches
    .flatMap(({ ops }) => ops.map(({ forwardPatch }) => forwardPatch.Title))
    .filter(Boolean);
  expect(titles.filter((title) => String(title).startsWith('offline')).reverse()).toEqual(
    [0, 1, 2, 3, 4].map((turn) => `offline ${turn}`),
  );
});

test('[EVT2] a restart resumes from its position and fetches only changes', async () => {
  const [dan, proxy, storage] = [await clientOf('dan', 0), await proxyTo(1), memoryStorage()];
  const { children } = await plant(dan);
  const first = await replicaOf('dan', proxy.url, storage);
  await expectEqual(first, dan);
  await first.close();
  await dan.node.update({ id: children[1] as string, title: 'while away' });
  const second = await openReplica({ url: proxy.url, token: tokens.dan as string, storage });
  closing.push(() => second.close());
  expect(second.snapshot().nodes.size).toBe(5);
  const changed: string[] = [];
  second.on('node:changed', ({ node }) => changed.push(node.id));
  await expectEqual(second, dan);
  expect(new Set(changed)).toEqual(new Set([children[1]]));
});
