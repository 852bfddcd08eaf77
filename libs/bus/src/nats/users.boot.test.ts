// The permissions of each service over a real NATS with a user for each.

import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { type ServicesNats, startServicesNats } from '@taskgraph/testkit/stack/nats';
import { SYSTEM } from '@taskgraph/wire/actor';
import type { CommandMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { publishControl, serveControl } from '../events/control.ts';
import { publishExpirations, serveExpirations } from '../events/expiration-messages.ts';
import { publishSlices, serveSlices } from '../events/slices.ts';
import { createLeases } from '../partitions/lease.ts';
import { openLeaseStore } from '../partitions/lease-store.ts';
import { createRequester } from '../requests/request.ts';
import { type Sender, serveCommands, serveReads } from '../requests/serve.ts';
import { type Bus, type BusService, connectBus } from './connect.ts';
import { systemSubject } from './subjects.ts';

const SERVICES = ['gateway', 'worker', 'jobs', 'hooks', 'admin'] as const;
const problems: string[] = [];
const quiet = () => undefined;
const problem = (fields: object, message: string) => void problems.push(`${message} ${JSON.stringify(fields)}`);
const log = { debug: quiet, info: quiet, warn: problem, error: problem };
const ann = { id: '01900000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.org' };

let nats: ServicesNats;
const buses = {} as Record<BusService, Bus>;

beforeAll(async () => {
  nats = await startServicesNats();
  for (const service of SERVICES) buses[service] = await connectBus({ ...nats.login(service), name: service, log });
});
afterAll(async () => {
  await Promise.all(Object.values(buses).map((bus) => bus.close()));
  await nats.remove();
});

const command = (actor: CommandMessage['actor']): CommandMessage => {
  const id = `01900000-0000-7000-8000-${String(Math.floor(Math.random() * 1e12)).padStart(12, '0')}`;
  return { id, event: 'e', payload: {}, actor, key: null, deadline: Date.now() + 3_000, traceId: 't' };
};

describe('services work with a separate NATS user for each', () => {
  it('[HIS1] gateways send commands for users, jobs send system commands, and both receive their answers', async () => {
    const echo = async (_message: CommandMessage, from: Sender): Promise<ReplyMessage> => ({
      ok: true,
      body: { from },
    });
    const [commands, reads] = [
      serveCommands(buses.worker, 3, echo),
      // Longer than one message, so sent in parts.
      serveReads(buses.worker, async () => ({ ok: true, body: { text: 'x'.repeat(2_000_000) } })),
    ];
    const [gateway, jobs] = [createRequester(buses.gateway), createRequester(buses.jobs, systemSubject)];
    expect(await gateway.sendCommand(3, command(ann))).toEqual({ ok: true, body: { from: 'users' } });
    expect(await jobs.sendCommand(3, command(SYSTEM))).toEqual({ ok: true, body: { from: 'system' } });
    expect(await gateway.read(command(ann))).toMatchObject({ ok: true });
    expect(await gateway.sendCommand(4, { ...command(ann), deadline: Date.now() + 200 })).toMatchObject({
      details: { outcome: 'not_done' },
    });
    gateway.stop();
    jobs.stop();
    await Promise.all([commands.stop(), reads.stop()]);
    expect(problems).toEqual([]);
  });

  it('workers share leases and notify gateways and jobs; administrators notify gateways', async () => {
    const acquired = new Set<number>();
    const acquire = async (partition: number) => void acquired.add(partition);
    const leases = createLeases(buses.worker, { workerId: 'one', log, acquire, release: async () => undefined });
    await vi.waitFor(() => expect(acquired.size).toBe(64), 60_000);
    const lastReplies: string[] = [];
    const servings = [
      serveSlices(buses.gateway, (slices) => void lastReplies.push(`slice ${slices[0]?.feed}`)),
      serveControl(buses.gateway, ({ readers, users }) => void lastReplies.push(`control ${readers} ${users ?? ''}`)),
      serveExpirations(buses.jobs, async (expirations) => void lastReplies.push(`due ${expirations[0]?.due}`)),
    ];
    await Promise.all([buses.gateway.connection.flush(), buses.jobs.connection.flush()]);
    publishSlices(buses.worker, [{ feed: 'user:a', epoch: 1, seq: 1, diff: {} }]);
    publishControl(buses.worker, { readers: ['a'], feeds: [] });
    publishControl(buses.admin, { readers: [], feeds: [], users: ['b'] });
    publishExpirations(buses.worker, [{ nodeId: ann.id, due: '2030-01-01T00:00:00.000Z' }]);
    const told = ['control  b', 'control a ', 'due 2030-01-01T00:00:00.000Z', 'slice user:a'];
    await vi.waitFor(() => expect([...lastReplies].sort()).toEqual(told), 60_000);
    const store = await openLeaseStore(buses.worker, 1);
    await store.writeHeartbeat('gone', { instance: 'x', session: 1, count: 1, leaving: false });
    await store.forget('gone');
    await leases.stop();
    await Promise.all(servings.map((serving) => serving.stop()));
    expect(problems).toEqual([]);
  });
});

/** A raw client without the library's checks. */
async function dial(service: BusService): Promise<{ connection: NatsConnection; refused: string[] }> {
  const { url, user, password } = nats.login(service);
  const connection = await connect({ servers: url, user, pass: password, reconnect: false });
  const refused: string[] = [];
  void (async () => {
    for await (const status of connection.status()) if (status.type === 'error') refused.push(status.error.message);
  })();
  return { connection, refused };
}

/**
 * Whether the server lets a user publish on a subject; a rejected message reaches no subscriber.
 */
async function maySay(service: BusService, subject: string): Promise<boolean> {
  const { connection, refused } = await dial(service);
  connection.publish(subject, 'x');
  await connection.flush();
  await sleep(20);
  await connection.close();
  return refused.length === 0;
}

async function mayHear(service: BusService, subject: string, queue?: string): Promise<boolean> {
  const { connection } = await dial(service);
  let refusal: unknown = null;
  connection.subscribe(subject, {
    ...definedFields({ queue }),
    callback(error) {
      refusal ??= error;
    },
  });
  await connection.flush();
  await sleep(20);
  await connection.close();
  return refusal === null;
}

/** Users that may publish on a subject, and users that may subscribe to it. */
const SUBJECTS: readonly [
  subject: string,
  speakers: readonly BusService[],
  hearers: readonly BusService[],
  queue?: string,
][] = [
  ['tg.cmd.5', ['gateway'], ['worker']],
  ['tg.system.5', ['jobs'], ['worker']],
  ['tg.read', ['gateway', 'jobs'], ['worker'], 'workers'],
  ['tg.read', ['gateway', 'jobs'], []],
  ['tg.read.5', ['gateway'], ['worker'], 'workers'],
  ['tg.read.5', ['gateway'], []],
  ['tg.slices', ['worker'], ['gateway'], 'gateways.3'],
  ['tg.slices', ['worker'], []],
  ['tg.control', ['worker', 'admin'], ['gateway']],
  ['tg.dues', ['worker'], ['jobs'], 'jobs'],
  ['tg.hooks.send', ['jobs'], ['hooks'], 'hooks'],
  ['tg.hooks.send', ['jobs'], []],
  ['_INBOX.gateway.a.b', ['worker'], ['gateway']],
  ['_INBOX.jobs.a.b', ['worker', 'hooks'], ['jobs']],
  ['_INBOX.hooks.a.b', [], []],
  ['_INBOX.worker.a.b', [], ['worker']],
  ['_INBOX.admin.a.b', [], ['admin']],
  ['tg.status', ['worker'], ['gateway', 'worker', 'jobs', 'hooks']],
  ['_INBOX.status.a', ['gateway', 'worker', 'jobs', 'hooks'], ['worker']],
  ['_INBOX.status.a.b', [], []],
  ['_INBOX.a.b', [], []],
  ['_INBOX.>', [], []],
  ['tg.>', [], []],
  ['>', [], []],
  ['$KV.taskgraph-leases.partition.5', ['worker'], []],
  ['$KV.taskgraph-leases.worker.b25l', ['worker'], []],
  ['$JS.API.STREAM.DELETE.KV_taskgraph-leases', [], []],
  ['$JS.API.STREAM.UPDATE.KV_taskgraph-leases', ['worker'], []],
  ['$JS.API.DIRECT.GET.KV_taskgraph-leases', [], []],
  ['$JS.API.STREAM.PURGE.KV_taskgraph-leases', ['worker'], []],
  ['$JS.API.STREAM.CREATE.everything', [], []],
  ['$JS.API.CONSUMER.CREATE.KV_taskgraph-leases', ['worker'], []],
  ['$SYS.REQ.SERVER.PING', [], []],
];

describe('the server rejects subjects that a service does not need', () => {
  it.each(SUBJECTS)(
    '[HIS1 ACL7] %s: %j publish, %j subscribe (queue %s)',
    async (subject, speakers, hearers, queue) => {
      const wild = subject.includes('>');
      const spoken = wild ? [] : await Promise.all(SERVICES.map((service) => maySay(service, subject)));
      const lastReplies = await Promise.all(SERVICES.map((service) => mayHear(service, subject, queue)));
      expect(SERVICES.filter((_, index) => spoken[index])).toEqual([...speakers]);
      expect(SERVICES.filter((_, index) => lastReplies[index])).toEqual([...hearers]);
    },
  );

  it('a worker does not reply to a subject outside the inbox prefix', async () => {
    const { connection } = await dial('gateway');
    const store = await openLeaseStore(buses.worker, 1);
    const before = await store.writeHeartbeat('victim', { instance: 'x', session: 1, count: 1, leaving: false });
    const serving = serveReads(buses.worker, async () => ({ ok: true, body: {} }));
    await buses.worker.connection.flush();
    for (const reply of ['$KV.taskgraph-leases.worker.dmljdGlt', 'tg.control', 'tg.slices', 'tg.dues'])
      connection.publish('tg.read', JSON.stringify(command(ann)), { reply });
    await connection.flush();
    await vi.waitFor(() => expect(problems).toHaveLength(4), 60_000);
    await serving.stop();
    const after = await store.writeHeartbeat('victim', { instance: 'x', session: 1, count: 2, leaving: false });
    expect(after).toBe(before + 1);
    problems.length = 0;
    await connection.close();
  });
});
