// Scenario `first-load`: the time until a program has read everything that its user sees, under the
// default rate limits, against the bare driver that streams the same properties. It measures a
// replica, all pages over a socket, and all pages over REST, each time for a new user, whose graph
// no worker has cached. The promised times are absolute (WALK1), so each result notes them.
import { connect, openReplica } from '@taskgraph/client';
import type { Read } from '../../clients/readers.ts';
import { createForest } from '../../forest.ts';
import { median } from '../../measure/figures.ts';
import { onOwnStack } from '../../own-stack.ts';
import { type Result, resultOf } from '../../report/result.ts';
import type { Bench } from '../../scenario.ts';
import type { BenchStack } from '../../stack/bench-stack.ts';
import { type BenchUser, createUsers } from '../../stack/users.ts';
import { openReaders } from '../read-sides.ts';

/** The promised milliseconds by the number of tasks. */
const PROMISED = { 5000: 3_000, 20000: 10_000 } as const;
const SIZES = [5_000, 20_000] as const;
const WAYS = ['replica', 'socket', 'rest'] as const;
type Way = (typeof WAYS)[number];

const PAGE = 5_000;
/** Unmeasured loads, so that no measured load compiles code. */
const WARM_UP = { size: 5_000, rounds: 2 };

/** The turns open more sockets than a client would. All other limits have their defaults. */
const LIMITS = { TASKGRAPH_LIMITS: 'on', LIMIT_CONNECT: '1000/60', LIMIT_UPGRADE: '1000/60' };

export const firstLoad = onOwnStack(run, { environment: LIMITS });

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const readers = await openReaders(stack);
  try {
    note('warming up');
    for (let round = 0; round < WARM_UP.rounds; round++) {
      for (const way of WAYS) await load(way, stack, await createOwner(stack, WARM_UP.size));
    }
    const results: Result[] = [];
    for (const size of pace.quick ? SIZES.slice(0, 1) : SIZES) {
      const loads: Record<Way, Load[]> = { replica: [], socket: [], rest: [] };
      const streams: number[] = [];
      for (let turn = 1; turn <= pace.turns; turn++) {
        for (const way of WAYS) loads[way].push(await load(way, stack, await createOwner(stack, size)));
        const { token, id } = await createOwner(stack, size);
        const read: Read = { token, ownerId: id, limit: PAGE };
        streams.push((await readers.streaming(read)).pages[0] as number);
        note(`turn ${turn} of ${pace.turns}: ${WAYS.map((way) => `${way} ${lastOf(loads[way])} ms`).join(', ')}`);
      }
      for (const way of WAYS) results.push(resultFor(way, size, loads[way], streams));
    }
    return results;
  } finally {
    await readers.stop();
  }
}

function lastOf(loads: readonly Load[]): string {
  return (loads.at(-1)?.ms ?? 0).toFixed(0);
}

function resultFor(way: Way, size: (typeof SIZES)[number], loads: readonly Load[], streams: readonly number[]): Result {
  const [{ entities, pages } = { entities: 0, pages: 0 }] = loads;
  const firstMs = median(loads.map((each) => each.firstMs)).toFixed(0);
  return resultOf({
    scenario: `first-load ${size} ${way}`,
    ours: median(loads.map(({ ms }) => ms)),
    baseline: median(streams),
    unit: 'ms',
    notes: [
      `${entities.toLocaleString('en')} nodes and links in ${pages} pages; the first shows after ${firstMs} ms`,
      `promised: ${PROMISED[size].toLocaleString('en')} ms`,
    ],
  });
}

let users = 0;

/** A new user with a graph of about this size. */
async function createOwner({ access }: BenchStack, size: number): Promise<BenchUser> {
  const [owner] = (await createUsers(access, `first-load-${users++}`, 1)) as [BenchUser];
  await createForest(access, owner.email, size);
  return owner;
}

interface Load {
  readonly ms: number;
  /** Milliseconds until the first page. */
  readonly firstMs: number;
  readonly entities: number;
  readonly pages: number;
}

function load(way: Way, { urls }: BenchStack, { token }: BenchUser): Promise<Load> {
  const url = urls[0] as string;
  if (way === 'replica') return loadReplica(url, token);
  return way === 'socket' ? loadBySocket(url, token) : loadByRest(url, token);
}

async function loadReplica(url: string, token: string): Promise<Load> {
  const startedAt = performance.now();
  const replica = await openReplica({ url, token });
  const sizes: number[] = [];
  let firstMs = 0;
  const unsubscribe = replica.subscribe(
    ({ nodes, links }) => nodes.size + links.size,
    (size) => {
      if (sizes.push(size) === 1) firstMs = performance.now() - startedAt;
    },
  );
  await new Promise<void>((resolve) => {
    replica.on('state', ({ state }) => state === 'live' && resolve());
  });
  const ms = performance.now() - startedAt;
  unsubscribe();
  const { nodes, links } = replica.snapshot();
  await replica.close();
  return { ms, firstMs, entities: nodes.size + links.size, pages: sizes.length };
}

async function loadBySocket(url: string, token: string): Promise<Load> {
  const startedAt = performance.now();
  const client = await connect({ url, token });
  const load = await countPages(client.graph.pages(), startedAt);
  client.close();
  return load;
}

function loadByRest(url: string, token: string): Promise<Load> {
  return countPages(restPages(url, token), performance.now());
}

interface Page {
  readonly hasMore: boolean;
  readonly next: string | null;
  readonly nodes: readonly unknown[];
  readonly links: readonly unknown[];
}

async function* restPages(url: string, token: string): AsyncGenerator<Page, void, undefined> {
  for (let after: string | null = ''; after !== null; ) {
    const cursor: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/api/graph?limit=${PAGE}${cursor}`, { headers });
    if (response.status !== 200) throw new Error(`a page was answered ${response.status}: ${await response.text()}`);
    const page = (await response.json()) as Page;
    yield page;
    after = page.hasMore ? page.next : null;
  }
}

async function countPages(all: AsyncIterable<Pick<Page, 'nodes' | 'links'>>, startedAt: number): Promise<Load> {
  let [firstMs, entities, pages] = [0, 0, 0];
  for await (const { nodes, links } of all) {
    if (pages++ === 0) firstMs = performance.now() - startedAt;
    entities += nodes.length + links.length;
  }
  return { ms: performance.now() - startedAt, firstMs, entities, pages };
}
