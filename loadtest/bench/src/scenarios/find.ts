// Scenarios `find` and `node-get`: searches among 20,000 nodes and reads of single nodes, against
// the bare driver that runs the same query in Cypher. A node changes before each search, so that
// every search must read from the database. A node is read cold, and warm right after that.
import { connect, type TaskgraphClient } from '@taskgraph/client';
import { openDirectReads } from '../direct-reads.ts';
import { type RunStatement, withDirectWrites } from '../direct-writes.ts';
import { addCpu, type Cpu, meterCpu, perOperation, type Roles } from '../measure/cpu.ts';
import { median, percentile } from '../measure/figures.ts';
import { type WarmUp, warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { createSharedBranch, type SharedBranch } from '../stack/shared-branch.ts';

const NODES = 19_700;
const QUICK_NODES = 5_000;
const HITS = 50;
const SEARCHES_A_TURN = 40;
/** Processor time is counted in steps of 10 ms, so a turn has many of the short reads. */
const READS_A_TURN = 800;
/** Reads in progress at once. A single one would cost mostly the wake-ups of its processes. */
const READS_AT_ONCE = 16;
const WORDS = ['release', 'review', 'budget', 'garden', 'invoice', 'meeting', 'report', 'window'];

const SPREAD = `
MATCH (n:Node {ownerId: $ownerId})
WITH n, toInteger(rand() * 8) AS word, toInteger(rand() * 365) AS day
SET n.title = $words[word] + ' ' + n.id, n.description = 'A task about a ' + $words[(word + 3) % 8],
  n.dueDate = toString(date('2026-01-01') + duration({days: day})) + 'T23:59:59.000Z'`;

/**
 * The driver's queries. Each reads the fields of the hits, in order. Neo4j accepts the hint only
 * with a predicate on each property of the index.
 */
const FILTER = `
MATCH (n:Node) USING INDEX n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $ownerId AND n.inTrash = false AND n.id > '' AND n.status IN [0, 1] AND n.dueDate <= $to
WITH n ORDER BY n.dueDate, n.id LIMIT toInteger($hits)
RETURN properties(n) AS node`;
const TEXT = `
MATCH (n:Node) USING INDEX n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $ownerId AND n.inTrash = false AND n.id > ''
  AND (toLower(n.title) CONTAINS $word OR toLower(n.description) CONTAINS $word)
WITH n ORDER BY n.lastEditedTime DESC, n.id LIMIT toInteger($hits)
RETURN properties(n) AS node`;
const NODE = 'MATCH (n:Node {id: $id}) RETURN properties(n) AS node';

export const find: Measurement = { stack: {}, run };

type Search = 'filter' | 'text';
const SEARCHES = ['filter', 'text'] as const;
type Who = 'ours' | 'baseline';
const SIDES = ['ours', 'baseline'] as const;

/** The acts of a side. */
interface Acts extends Readonly<Record<Search, () => Promise<void>>> {
  readonly get: (id: string) => Promise<void>;
}

async function run(bench: Bench, stack: BenchStack): Promise<Result[]> {
  const { pace, note } = bench;
  const size = pace.quick ? QUICK_NODES : NODES;
  note(`growing a graph of ${size.toLocaleString('en')} nodes`);
  const branch = await createSharedBranch(stack, 'find', size);
  await withDirectWrites(stack.access, (runStatement) =>
    runStatement(SPREAD, { ownerId: branch.owner.id, words: WORDS }),
  );
  const reads = openDirectReads(stack.access);
  const client = await connect({ url: stack.urls[0] as string, token: branch.owner.token });
  try {
    const acts = { ours: ourActs(client), baseline: driverActs(reads.run, branch) };
    const change = async () => {
      await client.node.update({ id: leafOf(branch), volume: 1 + Math.floor(Math.random() * 1_000) });
    };
    const turns: Turns = {
      search: (who, search) => searchTurn(rolesOf(stack), acts[who][search], change),
      read: (who, ids) => readTurn(rolesOf(stack), acts[who].get, ids),
      leaves: () => Array.from({ length: READS_A_TURN }, () => leafOf(branch)),
    };
    return await compareSides(bench, turns, `${size.toLocaleString('en')} nodes`);
  } finally {
    client.close();
    await reads.close();
  }
}

interface Turns {
  readonly search: (who: Who, search: Search) => Promise<Turn>;
  readonly read: (who: Who, ids: readonly string[]) => Promise<Turn>;
  readonly leaves: () => readonly string[];
}

async function compareSides({ pace, note }: Bench, turns: Turns, size: string): Promise<Result[]> {
  note('warming up');
  const searchSides = SIDES.flatMap((who) =>
    SEARCHES.map((search) => [`${who} ${search}`, async () => median((await turns.search(who, search)).ms)] as const),
  );
  const readSides = SIDES.map(
    (who) => [`${who} get`, async () => median((await turns.read(who, turns.leaves())).ms)] as const,
  );
  const warmed = await warmUp(Object.fromEntries([...searchSides, ...readSides]), pace.warmUpLimitMs, note);
  const searches = new Map<string, Turn[]>();
  const reads = { cold: [] as Turn[], warm: [] as Turn[], baseline: [] as Turn[] };
  for (let at = 1; at <= pace.turns; at++) {
    for (const search of SEARCHES) {
      for (const who of SIDES) {
        const name = `${who} ${search}`;
        searches.set(name, [...(searches.get(name) ?? []), await turns.search(who, search)]);
      }
    }
    const leaves = turns.leaves();
    reads.cold.push(await turns.read('ours', leaves));
    reads.warm.push(await turns.read('ours', leaves));
    reads.baseline.push(await turns.read('baseline', leaves));
    note(`turn ${at} of ${pace.turns}`);
  }
  return [
    ...SEARCHES.map((search) => searchResult(search, size, searches, warmed)),
    ...(['cold', 'warm'] as const).map((name) => readResult(name, reads[name], reads.baseline, warmed)),
  ];
}

function searchResult(search: Search, size: string, turns: ReadonlyMap<string, Turn[]>, warmed: WarmUp): Result {
  const sides = SIDES.map((who) => turns.get(`${who} ${search}`) ?? []);
  const [ours, baseline] = sides.map((side) => side.flatMap(({ ms }) => ms)) as [number[], number[]];
  const [oursCpu, baselineCpu] = sides.map(meanCpu) as [Cpu, Cpu];
  return resultOf({
    scenario: `find ${search}`,
    ours: percentile(ours, 0.95),
    baseline: percentile(baseline, 0.95),
    unit: 'ms p95',
    cpu: { ours: oursCpu, baseline: baselineCpu },
    warmUp: warmed,
    notes: [
      `${size}, ${HITS} hits, a change before each search`,
      `p50 ${median(ours).toFixed(2)} ms, baseline ${median(baseline).toFixed(2)} ms`,
    ],
  });
}

/** Processor time without the client's. */
function readResult(name: string, ours: readonly Turn[], baseline: readonly Turn[], warmed: WarmUp): Result {
  const cpu = { ours: meanCpu(ours), baseline: meanCpu(baseline) };
  const p50 = (turns: readonly Turn[]) => median(turns.flatMap(({ ms }) => ms)).toFixed(2);
  return resultOf({
    scenario: `node-get ${name}`,
    ours: sumOf(cpu.ours),
    baseline: sumOf(cpu.baseline),
    unit: 'CPU ms',
    cpu,
    warmUp: warmed,
    notes: [`${READS_AT_ONCE} at once: p50 ${p50(ours)} ms, baseline ${p50(baseline)} ms`],
  });
}

function ourActs(client: TaskgraphClient): Acts {
  return {
    filter: async () => {
      const where = { status: [0, 1], due: { to: dayOf() } };
      await client.node.find({ where, sort: 'due', limit: HITS });
    },
    text: async () => {
      await client.node.find({ text: wordOf(), limit: HITS });
    },
    get: async (id) => {
      await client.node.get({ id });
    },
  };
}

function driverActs(runStatement: RunStatement, branch: SharedBranch): Acts {
  const ownerId = branch.owner.id;
  const rows = async (statement: string, parameters: object) => {
    JSON.stringify(await runStatement(statement, parameters));
  };
  return {
    filter: () => rows(FILTER, { ownerId, hits: HITS, to: `${dayOf()}T23:59:59.999Z` }),
    text: () => rows(TEXT, { ownerId, hits: HITS, word: wordOf() }),
    get: (id) => rows(NODE, { id }),
  };
}

interface Turn {
  readonly ms: readonly number[];
  /** Milliseconds of processor time of a search or a read, by role. */
  readonly cpu: Cpu;
}

function rolesOf(stack: BenchStack): Roles {
  return { ...stack.roles(), client: [process.pid] };
}

/** The changes between the searches are not measured. */
async function searchTurn(roles: Roles, search: () => Promise<void>, change: () => Promise<void>): Promise<Turn> {
  const ms: number[] = [];
  const cpu: Cpu[] = [];
  for (let call = 0; call < SEARCHES_A_TURN; call++) {
    await change();
    const meter = meterCpu(roles);
    const startedAt = performance.now();
    await search();
    ms.push(performance.now() - startedAt);
    cpu.push(meter());
  }
  return { ms, cpu: perOperation(addCpu(cpu), SEARCHES_A_TURN) };
}

async function readTurn(roles: Roles, get: (id: string) => Promise<void>, ids: readonly string[]): Promise<Turn> {
  const left = [...ids];
  const ms: number[] = [];
  const meter = meterCpu(roles);
  const lane = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const startedAt = performance.now();
      await get(id);
      ms.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, lane));
  return { ms, cpu: perOperation(meter(), ids.length) };
}

function meanCpu(turns: readonly Turn[]): Cpu {
  return perOperation(addCpu(turns.map(({ cpu }) => cpu)), turns.length);
}

function sumOf({ client: _client, ...roles }: Cpu): number {
  return Object.values(roles).reduce((sum, ms) => sum + ms, 0);
}

function leafOf({ trees }: SharedBranch): string {
  const { projects } = trees[Math.floor(Math.random() * trees.length)] as SharedBranch['trees'][number];
  const { leaves } = projects[Math.floor(Math.random() * projects.length)] as (typeof projects)[number];
  return leaves[Math.floor(Math.random() * leaves.length)] as string;
}

const wordOf = () => WORDS[Math.floor(Math.random() * WORDS.length)] as string;
const dayOf = () => `2026-${String(1 + Math.floor(Math.random() * 12)).padStart(2, '0')}-15`;
