// Small requests for much work: undos that must be refused, statuses that flip hundreds of targets,
// and binary packets that a decoder would multiply. The service refuses them, or runs them apart
// from other users' work.
import type { SiegeUser } from '../plan.ts';
import { send } from '../raw-http.ts';
import { connectRaw } from '../raw-socket.ts';
import { type Attack, type AttackContext, addressesOf, breach, count, repeat } from './attack.ts';

const undoAddress = addressesOf(70);
const toggleAddress = addressesOf(71);
const binaryAddress = addressesOf(72);
const FAN = 240;
const TOGGLES = 500;
const PLACEHOLDERS = 8_000;
const BUFFER_BYTES = 200_000;

interface Operation {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly as?: string;
}

/** Calls of one user, counted by status. */
function callsOf(context: AttackContext, { token }: SiegeUser, address: (index: number) => string) {
  const { urls } = context.plan;
  let turn = 0;
  return async (what: string, path: string, body: object): Promise<string> => {
    const [url, from] = [urls[turn % urls.length] as string, address(turn)];
    turn++;
    const { status, beginning } = await send({ url, from, method: 'POST', path, token, body });
    count(context, `${what} ${status}`);
    if (what === 'setup' && status !== 200) breach(context, `its set-up was answered ${status}`);
    return beginning;
  };
}

function idIn(answer: string, name: 'id' | 'batchId'): string {
  return new RegExp(`"${name}":"([0-9a-f-]{36})"`).exec(answer)?.[1] ?? '';
}

/**
 * Undoes a batch whose links all end at a node that later batches changed: hundreds of conflicts.
 */
export const undos: Attack = async (context) => {
  const call = callsOf(context, context.plan.heavyUsers[0] as SiegeUser, undoAddress);
  const target = idIn(await call('setup', '/api/node', { title: 'hub' }), 'id');
  const operations = Array.from({ length: FAN }, (_, index): Operation[] => [
    { event: 'node:add', payload: { title: `spoke ${index}` }, as: `n${index}` },
    { event: 'link:add', payload: { source: `$n${index}`, target } },
  ]).flat();
  const batchId = idIn(await call('setup', '/api/batch', { operations }), 'batchId');
  await call('setup', '/api/node/trash', { id: target });
  await repeat(context, 250, async (turn) => {
    await call('undo', '/api/history/undo', turn % 2 === 0 ? { batchId, dryRun: true } : { batchId });
  });
};

/** Completes and reopens a task that blocks hundreds, hundreds of times in one batch. */
export const toggles: Attack = async (context) => {
  const call = callsOf(context, context.plan.heavyUsers[1] as SiegeUser, toggleAddress);
  const id = idIn(await call('setup', '/api/node', { title: 'blocker' }), 'id');
  const fan = Array.from({ length: FAN }, (_, index): Operation[] => [
    { event: 'node:add', payload: { title: `blocked ${index}` }, as: `n${index}` },
    { event: 'link:add', payload: { source: id, target: `$n${index}` } },
  ]).flat();
  await call('setup', '/api/batch', { operations: fan });
  const operations = Array.from({ length: TOGGLES }, (_, index) => ({
    event: 'node:update',
    payload: { id, status: index % 2 === 0 ? 3 : 0 },
  }));
  await repeat(context, 250, async () => {
    await call('dry run', '/api/batch', { operations, dryRun: true });
  });
};

/** Sends packets that reference one attachment thousands of times. */
export const binaries: Attack = async (context) => {
  const { urls, heavyUsers } = context.plan;
  const [{ token }, buffer] = [heavyUsers[2] as SiegeUser, Buffer.alloc(BUFFER_BYTES)];
  const places = Array.from({ length: PLACEHOLDERS }, () => '{"_placeholder":true,"num":0}').join();
  await repeat(context, 500, async (turn) => {
    const socket = await connectRaw(urls[turn % urls.length] as string, binaryAddress(turn), token);
    count(context, socket === null ? 'refused' : 'connected');
    if (socket === null) return;
    socket.send(`451-1["node:add",{"tags":[${places}]}]`);
    socket.send(buffer);
    count(context, (await socket.take('42["closing"')) === null ? 'not told' : 'closed');
    socket.close();
  });
};
