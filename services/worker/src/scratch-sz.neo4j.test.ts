import type { Database } from '@taskgraph/graph-store/database';
import type { ActingUser } from '@taskgraph/wire/messages';
import { afterAll, beforeAll, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker } from './harness.testing.ts';
import { chain, cycle, fan, fanOut, ladder, sow, tree } from './sizes.testing.ts';

let database: Database;
let ada: ActingUser;
let bob: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  ada = await makeUser(database, 'ada');
  bob = await makeUser(database, 'bob');
});
afterAll(() => database.close());

const T = Number(process.env.SZ_T ?? 20_000);
const N = Number(process.env.SZ_N ?? 10_000);

test('explore', { timeout: 600_000 }, async () => {
  const worker = startTestWorker(database);
  const lines: string[] = [];
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const at = performance.now();
    let note = '';
    try {
      const got = (await work()) as { ok?: boolean; error?: string; message?: string } | undefined;
      note = got?.ok === false ? `${got.error} ${got.message}` : '';
    } catch (error) {
      note = String(error).slice(0, 300);
    }
    console.log(`${name}: ${(performance.now() - at).toFixed(0)} ms ${note}`);
  };
  const send = (name: string, event: string, payload: object, by = ada) =>
    timed(`${name} ${event}`, () => worker.send(by, event, payload));
  const sown = async (name: string, shape: Parameters<typeof sow>[2]) => {
    const at = performance.now();
    const got = await sow(database, ada, shape);
    console.log(`sow ${name}: ${(performance.now() - at).toFixed(0)} ms`);
    return got;
  };
  const rows = async (id: string) => {
    const [row] = await database.read('MATCH (f:Feed {id: $id}) RETURN COUNT { (f)<-[:IN]-() } AS count', { id: `root:${id}` });
    console.log(`  rows ${row?.count}`);
  };
  const only = process.env.SZ_ONLY?.split(',');
  const on = (name: string) => only === undefined || only.includes(name);
  const key = (id: string) => ({ id, email: bob.email });
  if (on('tree')) {
    const top = await sown('top', tree(1, 1));
    const big = await sown('tree', tree(T, 10));
    const hook = (await worker.run(ada, 'link:add', { source: big.nodes[0], target: top.nodes[0], type: 1 })).links[0]?.after.id as string;
    await send('tree', 'node:access', { ...key(big.nodes[0] as string), level: 1 });
    await rows(big.nodes[0] as string);
    await send('leaf by grantee', 'node:update', { id: big.nodes.at(-1), title: 'x' }, bob);
    await send('tree', 'node:access:delete', key(big.nodes[0] as string));
    await send('again', 'node:access', { ...key(big.nodes[0] as string), level: 1 });
    await send('top', 'node:access', { ...key(top.nodes[0] as string), level: 1 });
    await rows(top.nodes[0] as string);
    await send('unhook', 'link:trash', { id: hook });
    await rows(top.nodes[0] as string);
    await send('hook', 'link:restore', { id: hook });
    await rows(top.nodes[0] as string);
  }
  if (on('chain')) {
    const it = await sown('chain', chain(N));
    await send('chain', 'node:access', { ...key(it.nodes[0] as string), level: 1 });
    await rows(it.nodes[0] as string);
    await send('chain complete last', 'node:update', { id: it.nodes.at(-1), status: 3 });
    await send('chain reopen last', 'node:update', { id: it.nodes.at(-1), status: 1 });
    await send('chain trash middle', 'node:trash', { id: it.nodes[N / 2] });
    await rows(it.nodes[0] as string);
    await send('chain restore middle', 'node:restore', { id: it.nodes[N / 2] });
    await rows(it.nodes[0] as string);
    await send('chain cycle', 'link:add', { source: it.nodes[0], target: it.nodes.at(-1) });
    await send('chain shortcut', 'link:add', { source: it.nodes.at(-1), target: it.nodes[0] });
    const done = await sown('done chain', { ...chain(N), completed: true });
    await send('done chain reopen last', 'node:update', { id: done.nodes.at(-1), status: 1 });
    await send('done chain complete last', 'node:update', { id: done.nodes.at(-1), status: 3 });
  }
  if (on('fan')) {
    const it = await sown('fan', fan(N));
    await send('fan', 'node:access', { ...key(it.nodes[0] as string), level: 1 });
    await rows(it.nodes[0] as string);
    await send('fan complete child', 'node:update', { id: it.nodes[5], status: 3 });
    await send('fan trash centre', 'node:trash', { id: it.nodes[0] });
    await rows(it.nodes[0] as string);
    await send('fan restore centre', 'node:restore', { id: it.nodes[0] });
    await rows(it.nodes[0] as string);
    await send('fan trash centre', 'node:trash', { id: it.nodes[0] });
    await send('fan delete centre', 'node:delete', { id: it.nodes[0] });
  }
  if (on('fanout')) {
    const it = await sown('fanout', fanOut(N));
    const source = it.nodes.at(-1);
    await send('fanout', 'node:access', { ...key(source as string), level: 1 });
    await send('fanout complete', 'node:update', { id: source, status: 3 });
    await send('fanout reopen', 'node:update', { id: source, status: 1 });
    await send('fanout trash', 'node:trash', { id: source });
    await send('fanout restore', 'node:restore', { id: source });
  }
  if (on('cycle')) {
    const it = await sown('cycle', cycle(N));
    await send('cycle', 'node:access', { ...key(it.nodes[0] as string), level: 1 });
    await rows(it.nodes[0] as string);
    await send('cycle status', 'node:update', { id: it.nodes[5], status: 3 });
    await send('cycle trash', 'node:trash', { id: it.nodes[N / 2] });
    await rows(it.nodes[0] as string);
    await send('cycle restore', 'node:restore', { id: it.nodes[N / 2] });
    await rows(it.nodes[0] as string);
  }
  if (on('ladder')) {
    const it = await sown('ladder', ladder(200));
    await send('ladder', 'node:access', { ...key(it.nodes[0] as string), level: 1 });
    await rows(it.nodes[0] as string);
    await send('ladder cycle', 'link:add', { source: it.nodes[0], target: it.nodes.at(-1) });
    await send('ladder trash', 'node:trash', { id: it.nodes[200] });
    await rows(it.nodes[0] as string);
    const done = await sown('done ladder', { ...ladder(200), completed: true });
    await send('done ladder reopen', 'node:update', { id: done.nodes.at(-1), status: 1 });
    const long = await sown('long ladder', ladder(2000));
    await send('long ladder', 'node:access', { ...key(long.nodes[0] as string), level: 1 });
    await rows(long.nodes[0] as string);
    await send('long ladder cycle', 'link:add', { source: long.nodes[0], target: long.nodes.at(-1) });
    await send('long ladder trash', 'node:trash', { id: long.nodes[2000] });
    await rows(long.nodes[0] as string);
    const longDone = await sown('done ladder', { ...ladder(2000), completed: true });
    await send('long done ladder reopen', 'node:update', { id: longDone.nodes.at(-1), status: 1 });
  }
});
