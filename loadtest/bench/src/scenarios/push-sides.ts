// The two sides of push scenarios: the whole stack with an owner who changes a branch and guests
// who receive the pushes, and plain Socket.IO that relays from memory. The listening sockets and
// the sending one are in their own processes.

import { setTimeout as sleep } from 'node:timers/promises';
import { PLAIN_PATH, type PlainServerActs } from '../baseline/plain-server.ts';
import { type ClientProcess, forkClient } from '../clients/process.ts';
import { type Cpu, meterCpu, type Roles } from '../measure/cpu.ts';
import { type WarmUp, warmUp } from '../measure/steadiness.ts';
import type { Bench } from '../scenario.ts';
import type { ListenerActs, ListenerTargets, ReceivedUpdates } from '../sockets/listeners.ts';
import type { SentUpdates, UpdateRate, UpdateSenderActs, UpdateSenderOptions } from '../sockets/update-sender.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { setupClient } from '../stack/setup-client.ts';
import { type BenchUser, createUsers } from '../stack/users.ts';

export const OUR_PATH = '/ext-socket.io';
/** Makes an update as long as the service's push. */
const FILLER = 'x'.repeat(420);
const NODES = 50;
const SHARES_AT_ONCE = 50;
/**
 * Updates without listeners, after which the database has compiled its code. Turns of a few updates a
 * second would take an hour for that.
 */
const COMPILING_RATE = 400;
const COMPILING_MS = 60_000;
/** The time for the last pushes to arrive. */
const SETTLE_MS = 1_000;

export interface PushSide {
  readonly name: 'ours' | 'baseline';
  /** Opens this many listening sockets; returns milliseconds. */
  open(count: number): Promise<number>;
  /**
   * Starts measuring the processor time of all its processes; the returned function ends the
   * measurement.
   */
  meter(): () => Cpu;
  close(): Promise<void>;
  /** Sends updates; returns the received ones and the processor time meanwhile. */
  sendUpdates(updateRate: UpdateRate): Promise<Push>;
  /** The ids of the pushing processes. */
  pushers(): readonly number[];
}

export interface Push {
  readonly sentUpdates: SentUpdates;
  readonly received: ReceivedUpdates;
  readonly cpu: Cpu;
}

interface PushSideOptions {
  readonly name: PushSide['name'];
  readonly listenerTargets: Omit<ListenerTargets, 'count'>;
  readonly updateSender: UpdateSenderOptions;
  readonly roles: () => Roles;
  readonly pushers: () => readonly number[];
}

/** The measured pushes of each side. */
export interface PushTurns {
  readonly warmed: WarmUp;
  readonly pushes: Readonly<Record<PushSide['name'], readonly Push[]>>;
}

let opened = 0;

/**
 * Runs both sides in turns with this many sockets and updates a second, once the medians from
 * request to receipt are steady.
 */
export async function pushInTurns(
  { pace, note }: Bench,
  stack: BenchStack,
  { guests, sockets, rate }: { readonly guests: number; readonly sockets: number; readonly rate: number },
): Promise<PushTurns> {
  const { ours, baseline, stop } = await openPushSides(stack, guests);
  try {
    note(`warming up with ${COMPILING_RATE} updates a second`);
    await ours.sendUpdates({ rate: COMPILING_RATE, burst: 1, ms: pace.quick ? pace.turnMs : COMPILING_MS });
    for (const side of [ours, baseline]) await side.open(sockets);
    const sendUpdates = (side: PushSide) => side.sendUpdates({ rate, burst: 1, ms: pace.turnMs });
    const turn = (side: PushSide) => async () => (await sendUpdates(side)).received.p50;
    note('warming up');
    const warmed = await warmUp({ baseline: turn(baseline), ours: turn(ours) }, pace.warmUpLimitMs, note);
    const pushes = { ours: [] as Push[], baseline: [] as Push[] };
    for (let at = 1; at <= pace.turns; at++) {
      for (const side of [baseline, ours]) pushes[side.name].push(await sendUpdates(side));
      note(`turn ${at} of ${pace.turns}: p50 ours ${lastOf(pushes.ours)}, baseline ${lastOf(pushes.baseline)} ms`);
    }
    return { warmed, pushes };
  } finally {
    await stop();
  }
}

function lastOf(pushes: readonly Push[]): string {
  return (pushes.at(-1)?.received.p50 ?? Number.NaN).toFixed(1);
}

/** Opens both sides with this many guests, each of whom may have many sockets. */
export async function openPushSides(stack: BenchStack, guests: number) {
  const users = await createUsers(stack.access, `pushing-${opened++}`, guests + 1);
  const [owner, ...others] = users as [BenchUser, ...BenchUser[]];
  const ids = await shareSmallBranch(stack, owner, others);
  const auths = others.map(({ token }) => ({ api_token: token }));
  const plain = await forkClient<PlainServerActs>('plain-server', { tokens: users.map(({ token }) => token) });
  const plainUrl = `http://127.0.0.1:${await plain.acts.listen(null)}`;
  const senderOptions = { auth: { api_token: owner.token }, ids };
  const ours = await openSide({
    name: 'ours',
    roles: () => stack.roles(),
    pushers: () => stack.roles().gateway ?? [],
    listenerTargets: { urls: stack.urls, path: OUR_PATH, auths },
    updateSender: { ...senderOptions, url: stack.urls[0] as string, path: OUR_PATH, event: 'node:update' },
  });
  const baseline = await openSide({
    name: 'baseline',
    roles: () => ({ 'baseline server': [plain.pid] }),
    pushers: () => [plain.pid],
    listenerTargets: { urls: [plainUrl], path: PLAIN_PATH, auths },
    updateSender: { ...senderOptions, url: plainUrl, path: PLAIN_PATH, event: 'update', filler: FILLER },
  });
  return {
    ours: ours.side,
    baseline: baseline.side,
    async stop() {
      await ours.stop();
      await baseline.stop();
      await plain.stop();
    },
  };
}

/** Creates a branch of a few tasks, shared with all guests; returns the ids of the tasks. */
export async function shareSmallBranch(
  stack: BenchStack,
  owner: BenchUser,
  guests: readonly BenchUser[],
): Promise<string[]> {
  const { addNode, share } = setupClient(stack, owner.token);
  const root = await addNode('branch');
  const ids: string[] = [];
  for (let at = 0; at < NODES; at++) ids.push(await addNode('task', root));
  // Concurrent grants form one group.
  for (let first = 0; first < guests.length; first += SHARES_AT_ONCE) {
    await Promise.all(guests.slice(first, first + SHARES_AT_ONCE).map(({ email }) => share(root, email)));
  }
  return ids;
}

async function openSide(parts: PushSideOptions): Promise<{ side: PushSide; stop(): Promise<void> }> {
  const listeners: ClientProcess<ListenerActs> = await forkClient('listeners', null);
  const updateSender: ClientProcess<UpdateSenderActs> = await forkClient('update-sender', parts.updateSender);
  const meter = () => meterCpu({ ...parts.roles(), listeners: [listeners.pid], speaker: [updateSender.pid] });
  const side: PushSide = {
    name: parts.name,
    meter,
    pushers: parts.pushers,
    open: (count) => listeners.acts.open({ ...parts.listenerTargets, count }),
    close: () => listeners.acts.close(null),
    async sendUpdates(updateRate) {
      await listeners.acts.received(null);
      const metered = meter();
      const sentUpdates = await updateSender.acts.sendUpdates(updateRate);
      await sleep(SETTLE_MS);
      const cpu = metered();
      return { sentUpdates, received: await listeners.acts.received(null), cpu };
    },
  };
  return {
    side,
    async stop() {
      await updateSender.stop();
      await listeners.stop();
    },
  };
}
