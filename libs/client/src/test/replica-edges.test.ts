// Edge cases of replicas: another user's storage, bounds, anonymous readers, and commands with
// provisional ids.
import type { Socket } from 'socket.io-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { provisionalId } from '../offline/optimistic-patches.ts';
import type { Replica } from '../replica/contract.ts';
import { startReplica } from '../replica/replica.ts';
import { openSession } from '../session.ts';
import { memoryStorage } from '../storage/memory-storage.ts';
import { createFaultyConnection } from './support/faulty-connection.ts';
import { ACTIONS, changeNode } from './support/model-actions.ts';
import { createModelServer, type ModelServer } from './support/model-server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(nodes: number) {
  let connection: ReturnType<typeof createFaultyConnection> | null = null;
  const bounds = { page: 10, slices: 100, ids: 200 };
  const server: ModelServer = createModelServer(bounds, (pushes, heads) => connection?.push(pushes, heads));
  const nothing = () => undefined;
  connection = createFaultyConnection(
    () => server,
    { lost: nothing, left: nothing, gone: nothing },
    () => 0.5,
  );
  for (let index = 0; index < nodes; index++) ACTIONS.addMine(server, { one: 0, other: 0 });
  return { server, connection, storage: memoryStorage() };
}

type Body = Record<string, unknown>;

/** A socket whose `connected` event has these fields too. */
function greeting(socket: Socket, more: Body): Socket {
  const on = (event: string, handler: (body: Body) => void) =>
    socket.on(event, event === 'connected' ? (body: Body) => handler({ ...body, ...more }) : handler);
  return { ...socket, on } as unknown as Socket;
}

function memoryStorageWith(entries: ReadonlyMap<string, unknown>) {
  const storage = memoryStorage();
  void storage.write(entries);
  return storage;
}

const idsOf = ({ snapshot }: Replica) => [...snapshot().nodes.keys()].sort();
const nodesOf = ({ state }: ModelServer) => [...state.nodes.keys()].sort();
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('[ACL7 GEN8] if the credentials belong to another user, the graph is removed and the commands are not sent', async () => {
  const { server, connection, storage } = setUp(3);
  const first = await startReplica(openSession(connection.open()), storage, 'reader');
  await pass(2_000);
  expect(idsOf(first)).toEqual(nodesOf(server));
  connection.close();
  const waiting = first.send('node:add', { title: 'of the first' }).catch(({ code }) => code);
  await first.close();
  expect(await waiting).toBe('client.closed');

  // The other user sees nothing here.
  for (const id of nodesOf(server))
    server.commit(() => [changeNode(server.state.nodes.get(id)!, 3, { inTrash: true })]);
  connection.reopen();
  const second = await startReplica(openSession(greeting(connection.open(), { uid: 'another' })), storage, 'reader');
  const told: unknown[] = [];
  second.on('failed', ({ error }) => told.push((error as { code?: string }).code));
  second.on('command:refused', ({ error: { code } }) => told.push(code));
  await pass(5_000);
  expect([second.state, idsOf(second), told, connection.sent]).toEqual([
    'live',
    [],
    ['client.other_user', 'client.other_user'],
    [],
  ]);
  await second.close();
  const left = [...(await storage.load()).keys()];
  expect(left.filter((key) => key !== 'meta')).toEqual(['command/000000000001']);
});

test.each([
  ['an earlier release', false],
  ['this release', true],
])(
  '[BLK11] a graph that %s stored shows at once, and its entities lack fields afterwards: %j',
  async (_by, isOfThisForm) => {
    const { server, connection, storage } = setUp(2);
    const first = await startReplica(openSession(connection.open()), storage, 'reader');
    await pass(2_000);
    await first.close();
    const [id = ''] = nodesOf(server);
    const entries = await storage.load();
    const { form, ...meta } = entries.get('meta') as Body;
    const node = entries.get(`node/${id}`) as { readonly entity: Body };
    const { createdTime: _time, ...entity } = node.entity;
    const stored: readonly [string, unknown][] = [
      ['meta', isOfThisForm ? { ...meta, form } : meta],
      [`node/${id}`, { ...node, entity }],
    ];
    await storage.write(new Map(stored));

    const second = await startReplica(openSession(connection.open()), storage, 'reader');
    expect(second.snapshot().nodes.get(id)).toMatchObject({ id, title: entity.title });
    await pass(2_000);
    expect([second.state, 'createdTime' in (second.snapshot().nodes.get(id) ?? {})]).toEqual(['live', !isOfThisForm]);
    await second.close();
  },
);

test('[ACL7] a node that has left one of its feeds is not shown by that feed after a crash', async () => {
  const { server, connection, storage } = setUp(0);
  // A branch of another user, whose child is also granted by itself.
  ACTIONS.addMine(server, { one: 1, other: 0 });
  ACTIONS.addChild(server, { one: 0, other: 1 });
  for (const one of [0, 1]) ACTIONS.grant(server, { one, other: 1 });
  const [parent = '', child = ''] = nodesOf(server);
  const crashed = await startReplica(openSession(connection.open()), storage, 'reader');
  await pass(2_000);
  expect(idsOf(crashed)).toEqual([parent, child]);
  ACTIONS.trashLink(server, { one: 0, other: 0 });
  await pass(100);
  const entries = await storage.load();
  expect(entries.get(`node/${child}`)).toMatchObject({ via: [`root:${child}`] });

  connection.end();
  ACTIONS.revoke(server, { one: 1, other: 0 });
  const next = await startReplica(openSession(connection.open()), memoryStorageWith(entries), 'reader');
  const shown = new Set<string>();
  next.on('state', () => idsOf(next).forEach((id) => void shown.add(id)));
  await pass(2_000);
  expect([next.state, [...shown]]).toEqual(['live', [parent]]);
  await next.close();
});

test('a replica ends with an error past its bound of entities', async () => {
  const { connection, storage } = setUp(25);
  const replica = await startReplica(openSession(connection.open()), storage, 'reader', { maximumEntities: 3 });
  const failures: unknown[] = [];
  replica.on('failed', ({ error }) => failures.push((error as { code?: string }).code));
  await pass(5_000);
  expect(failures).toContain('client.replica_full');
  expect(replica.state).not.toBe('live');
  // The page that exceeded the bound was the last one requested.
  expect(idsOf(replica)).toHaveLength(10);
  await replica.close();
});

test('[ACL11] a replica reports whether its reader has more grants than it shows', async () => {
  const { connection, storage } = setUp(1);
  for (const truncated of [true, false]) {
    const more = truncated ? { truncated } : {};
    const replica = await startReplica(openSession(greeting(connection.open(), more)), storage, 'reader');
    await pass(2_000);
    expect([replica.state, replica.truncated]).toEqual(['live', truncated]);
    await replica.close();
  }
});

test('[GEN8] commands on an entity that an earlier command creates are sent with its real id, also after a restart', async () => {
  const { server, connection, storage } = setUp(1);
  const first = await startReplica(openSession(connection.open()), storage, 'reader');
  await pass(2_000);
  connection.close();
  const made = provisionalId('one');
  const kept = [
    first.send('node:add', { title: 'made offline' }, { key: 'one' }),
    first.send('node:update', { id: made, title: 'named offline' }, { key: 'two' }),
  ].map((sent) => sent.catch(({ code }) => code));
  expect(first.snapshot().nodes.get(made)?.title).toBe('named offline');
  await first.close();
  expect(await Promise.all(kept)).toEqual(['client.closed', 'client.closed']);

  const second = await startReplica(openSession(connection.open()), storage, 'reader');
  expect(second.snapshot().nodes.get(made)?.title).toBe('named offline');
  const real: string[] = [];
  second.on('command:done', ({ ids }) => real.push(...Object.values(ids)));
  connection.reopen();
  await pass(5_000);
  expect([second.waiting, connection.sent]).toEqual([0, ['one', 'two']]);
  const [id = ''] = real;
  expect(server.state.nodes.get(id)?.title).toBe('named offline');
  expect(second.snapshot().nodes.get(id)?.title).toBe('named offline');
  expect(second.snapshot().nodes.has(made)).toBe(false);
  await second.close();
});

test('[GEN8] a command with the provisional id of a created entity shows at once, and is sent after a restart', async () => {
  const { server, connection, storage } = setUp(1);
  const first = await startReplica(openSession(connection.open()), storage, 'reader');
  await pass(2_000);
  const made = provisionalId('one');
  const adding = first.send('node:add', { title: 'made' }, { key: 'one' });
  await pass(2_000);
  const id = String((await adding).diff.nodes[0]?.after.id);
  connection.close();
  const kept = first.send('node:update', { id: made, title: 'named offline' }).catch(({ code }) => code);
  expect(first.snapshot().nodes.get(id)?.title).toBe('named offline');
  await first.close();
  expect(await kept).toBe('client.closed');

  const second = await startReplica(openSession(connection.open()), storage, 'reader');
  const refused: string[] = [];
  second.on('command:refused', ({ error }) => refused.push(error.code));
  connection.reopen();
  await pass(5_000);
  expect([second.waiting, refused]).toEqual([0, []]);
  expect(server.state.nodes.get(id)?.title).toBe('named offline');
  await second.close();
});

/** A socket that records the commands and answers them itself. */
function noting(socket: Socket, sent: [string, Body][]): Socket {
  const timeout = (ms: number) => ({
    emit(event: string, payload: Body, acknowledge: (error: Error | null, body?: unknown) => void) {
      if (payload.idempotencyKey === undefined) return socket.timeout(ms).emit(event, payload, acknowledge);
      const { idempotencyKey: _key, ...fields } = payload;
      sent.push([event, fields]);
      const nodes = event === 'node:add' ? [{ op: 0, before: {}, after: { id: 'real' } }] : [];
      acknowledge(null, { ok: true, diff: { nodes, links: [] }, feeds: {} });
    },
  });
  return { ...socket, timeout } as unknown as Socket;
}

test.each([false, true])(
  '[GEN8 BAT2] the operations of a batch get real ids, but their texts are unchanged; after a restart: %s',
  async (isRestarted) => {
    const { connection, storage } = setUp(0);
    connection.close();
    const sent: [string, Body][] = [];
    const open = () => startReplica(openSession(noting(connection.open(), sent)), storage, 'reader');
    let replica = await open();
    const made = provisionalId('one');
    const queue = [
      replica.send('node:add', { title: 'made' }, { key: 'one' }),
      replica.send('batch:run', {
        operations: [
          { event: 'node:add', payload: { title: made, target: made }, as: 'child' },
          { event: 'link:add', payload: { source: '$child', target: made } },
          { event: 'node:update', payload: { id: made, description: made } },
        ],
      }),
      replica.send('node:update', { id: made, title: made }),
    ].map((command) => command.catch(() => undefined));
    if (isRestarted) {
      await replica.close();
      replica = await open();
    }
    connection.reopen();
    await pass(5_000);
    const operations = [
      { event: 'node:add', payload: { title: made, target: 'real' }, as: 'child' },
      { event: 'link:add', payload: { source: '$child', target: 'real' } },
      { event: 'node:update', payload: { id: 'real', description: made } },
    ];
    expect([replica.waiting, sent]).toEqual([
      0,
      [
        ['node:add', { title: 'made' }],
        ['batch:run', { operations }],
        ['node:update', { id: 'real', title: made }],
      ],
    ]);
    await Promise.all(queue);
    await replica.close();
  },
);

test('[GEN8] a batch on an entity whose creation was refused is refused without being sent', async () => {
  const { connection, storage } = setUp(0);
  const sent: [string, Body][] = [];
  const replica = await startReplica(openSession(noting(connection.open(), sent)), storage, 'reader');
  const id = provisionalId('never made');
  const refused = replica.send('batch:run', { operations: [{ event: 'node:trash', payload: { id } }] });
  const outcome = refused.catch(({ code }) => code);
  await pass(2_000);
  expect([await outcome, sent]).toEqual(['client.depends_on_refused', []]);
  await replica.close();
});

/** The socket of an anonymous reader, without positions. It records all calls. */
function anonymous(socket: Socket, asked: string[]): Socket {
  const greeted = greeting(socket, { uid: null, position: null });
  const timeout = (ms: number) => ({
    emit(event: string, payload: Body, acknowledge: (error: Error | null, body?: unknown) => void) {
      asked.push(event);
      // The branch is the model's whole graph.
      socket
        .timeout(ms)
        .emit(event === 'branch:get' ? 'graph:get' : event, payload, (error: Error | null, body?: Body) => {
          const { position: _none, ...answer } = body ?? {};
          acknowledge(error, answer);
        });
    },
  });
  return { ...greeted, timeout } as unknown as Socket;
}

test('[PUB3, PUB5, EVT1] an anonymous reader closes gaps by full reads, and shows nothing once the publication has ended', async () => {
  const { server, connection, storage } = setUp(4);
  const asked: string[] = [];
  const handlers = new Map<string, (body: unknown) => void>();
  const socket = anonymous(connection.open(), asked);
  const listening = {
    ...socket,
    on(event: string, handler: (body: unknown) => void) {
      handlers.set(event, handler);
      return socket.on(event, handler);
    },
  } as unknown as Socket;
  const replica = await startReplica(openSession(listening), storage, 'reader');
  await pass(3_000);
  expect([replica.state, idsOf(replica)]).toEqual(['live', nodesOf(server)]);

  connection.setFaults({ lose: 1, double: 0, truncate: 0, delayMs: 5 });
  const [id = ''] = nodesOf(server);
  server.commit(() => [changeNode(server.state.nodes.get(id)!, 1, { title: 'lost on its way' })]);
  await pass(100);
  connection.setFaults({ lose: 0, double: 0, truncate: 0, delayMs: 5 });
  connection.announceHeads();
  await pass(30_000);
  expect(replica.snapshot().nodes.get(id)?.title).toBe('lost on its way');
  expect(replica.state).toBe('live');
  expect(new Set(asked)).toEqual(new Set(['branch:get']));

  handlers.get('unpublished')?.({ feed: 'root:r' });
  await pass(1_000);
  expect([replica.state, idsOf(replica)]).toEqual(['signed-out', []]);
  await replica.close();
  expect([...(await storage.load()).keys()].filter((key) => key !== 'meta')).toEqual([]);
});

test.each([
  ['an answer without its nodes', 0],
  ['a full read without its nodes', 101],
])(
  '[ACL8 EVT2] a level that changed while the reader was away is not taken from before, after %s',
  async (_, updates) => {
    const { server, connection, storage } = setUp(1);
    const mine = server.state.nodes.get(nodesOf(server)[0]!)!;
    ACTIONS.addMine(server, { one: 1, other: 0 });
    const root = server.state.nodes.get(nodesOf(server)[1]!)!;
    const grant = (level: number) =>
      server.commit(({ grants }) => {
        grants.set(root.id, { level, branch: true, showing: true });
        return [];
      });
    const replica = await startReplica(openSession(connection.open()), storage, 'reader');
    await pass(2_000);
    grant(2);
    await pass(2_000);
    const level = () => replica.snapshot().nodes.get(root.id)?.access;
    expect(level()).toBe(2);

    connection.close();
    await pass(1_000);
    grant(3);
    server.commit(() => [changeNode(root, 3, { inTrash: true })]);
    for (let edit = 0; edit < updates; edit++) server.commit(() => [changeNode(mine, 1, { title: `title ${edit}` })]);
    connection.reopen();
    await pass(5_000);
    expect([replica.state, level()]).toEqual(['live', undefined]);

    server.commit(() => [changeNode(root, 4, { inTrash: false })]);
    await pass(5_000);
    expect([replica.state, level()]).toEqual(['live', 3]);
    await replica.close();
  },
);
