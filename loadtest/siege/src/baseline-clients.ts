// The twenty baseline clients: four owners who each share a branch with four guests, all of them
// working on their own nodes too.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TaskgraphClient } from '@taskgraph/client';
import { type AddressProxy, openAddressProxy } from './address-proxy.ts';
import type { SiegeUser } from './plan.ts';

export const OWNERS = 4;
export const GUESTS_AN_OWNER = 4;
/**
 * The pause between two calls of a client in milliseconds. It keeps the rate below 3,600 calls in
 * any hour.
 */
const PAUSE_MS = { least: 600, most: 1_000 };

/** Response times in milliseconds, by kind of call. */
export interface Waits {
  readonly write: number[];
  readonly read: number[];
  /** From an owner's call to a guest's push. */
  readonly push: number[];
}

export interface BaselineClient {
  readonly name: string;
  /** The times since the last call. */
  takeWaits(): Waits;
  /** Failures, as texts. */
  readonly failures: string[];
  /**
   * Batches of the shared branch with their times: an owner's acknowledged ones, or a guest's
   * pushed ones.
   */
  readonly batches: Map<string, number>;
  readonly guests: readonly BaselineClient[];
  close(): void;
}

export interface Team {
  readonly owner: SiegeUser;
  readonly branch: string;
  readonly leaves: readonly string[];
  readonly guests: readonly SiegeUser[];
}

const newWaits = (): Waits => ({ write: [], read: [], push: [] });

/** Connects all clients of one team, which work until the signal fires. */
export async function connectTeam(
  team: Team,
  index: number,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<BaselineClient[]> {
  const url = (place: number) => urls[(index + place) % urls.length] as string;
  const guests: BaselineClient[] = [];
  for (const [place, user] of team.guests.entries()) {
    guests.push(await connectClient(user, `127.1.${index}.${place + 2}`, url(place), [], team, signal));
  }
  const owner = await connectClient(team.owner, `127.1.${index}.1`, url(0), guests, team, signal);
  return [owner, ...guests];
}

async function connectClient(
  { email, token }: SiegeUser,
  address: string,
  url: string,
  guests: readonly BaselineClient[],
  team: Team,
  signal: AbortSignal,
): Promise<BaselineClient> {
  const addressProxy: AddressProxy = await openAddressProxy(address, url);
  const failures: string[] = [];
  const fail = (what: string) => void failures.push(`${new Date().toISOString()} ${what}`);
  const client = await connect({
    url: addressProxy.url,
    token,
    onRateLimit: () => fail('was told to wait by a limit'),
  });
  let waits = newWaits();
  const batches = new Map<string, number>();
  const isOwner = guests.length > 0;
  const baselineClient: BaselineClient = {
    name: email,
    failures,
    batches,
    guests,
    takeWaits() {
      const taken = waits;
      waits = newWaits();
      return taken;
    },
    close() {
      client.close();
      addressProxy.close();
    },
  };
  const feed = `root:${team.branch}`;
  if (!isOwner) {
    client.onDiff((slice) => {
      if (slice.feed === feed && typeof slice.batchId === 'string') batches.set(slice.batchId, performance.now());
    });
    client.onGap((gap) => fail(`missed slices: ${JSON.stringify(gap)}`));
  }
  const timed = async <T>(kind: 'write' | 'read', what: string, call: () => Promise<T>): Promise<T | undefined> => {
    const startedAt = performance.now();
    try {
      return await call();
    } catch (error) {
      fail(`${what}: ${error instanceof Error ? error.message : error}`);
      return undefined;
    } finally {
      waits[kind].push(performance.now() - startedAt);
    }
  };
  void work({ client, timed, signal, fail, leaves: isOwner ? team.leaves : [], batches, waits: () => waits, guests });
  return baselineClient;
}

interface Work {
  readonly client: TaskgraphClient;
  readonly timed: <T>(kind: 'write' | 'read', what: string, call: () => Promise<T>) => Promise<T | undefined>;
  readonly signal: AbortSignal;
  readonly fail: (what: string) => void;
  /** The owner's nodes in the shared branch; empty for a guest. */
  readonly leaves: readonly string[];
  readonly batches: Map<string, number>;
  readonly waits: () => Waits;
  readonly guests: readonly BaselineClient[];
}

async function work(work: Work): Promise<void> {
  const { client, timed, signal, fail } = work;
  const own: string[] = [];
  for (let turn = 0; !signal.aborted; turn++) {
    try {
      await takeTurn(work, own, turn, timed, client);
    } catch (error) {
      fail(`broke off: ${error}`);
    }
    await sleep(PAUSE_MS.least + Math.random() * (PAUSE_MS.most - PAUSE_MS.least), undefined, { signal }).catch(
      () => undefined,
    );
  }
}

async function takeTurn(
  work: Work,
  own: string[],
  turn: number,
  timed: Work['timed'],
  client: TaskgraphClient,
): Promise<void> {
  if (turn % 12 === 5) {
    await timed('read', 'graph:get', () => client.call('graph:get', { limit: 100 }));
    return;
  }
  if (turn % 12 === 9) {
    await timed('read', 'changes:get', () => client.changes.get({ since: client.position }));
    return;
  }
  if (work.leaves.length > 0 && turn % 2 === 0) return renameShared(work, turn);
  if (own.length < 2 || turn % 6 === 1) {
    const made = await timed('write', 'node:add', () => client.node.add({ title: `task ${turn}` }));
    const id = made?.diff.nodes[0]?.after.id;
    if (typeof id === 'string') own.push(id);
    return;
  }
  const id = own[turn % own.length] as string;
  await timed('write', 'node:update', () => client.node.update({ id, title: `renamed ${turn}` }));
}

/** Each guest must receive its owner's changes, in the order of the feed's numbers. */
async function renameShared({ client, timed, leaves, batches, waits, guests }: Work, turn: number): Promise<void> {
  const startedAt = performance.now();
  const id = leaves[turn % leaves.length] as string;
  const answer = await timed('write', 'node:update', () => client.node.update({ id, title: `shared ${turn}` }));
  const batch = answer?.diff.batchId;
  if (typeof batch !== 'string') return;
  batches.set(batch, startedAt);
  // Pushes later than this count only in the final comparison.
  setTimeout(() => {
    for (const guest of guests) {
      const receivedAt = guest.batches.get(batch);
      if (receivedAt !== undefined) waits().push.push(receivedAt - startedAt);
    }
  }, 10_000).unref();
}
