// Scenarios `find` and `node-get`: searches among 20,000 nodes and reads of single nodes, against
// the bare driver that runs the same query in Cypher. A node changes before each search, so that
// every search must read from the database.
import { connect, type TaskgraphClient } from '@taskgraph/client';
import { type RunStatement, withDirectWrites } from '../direct-writes.ts';
import { type Cpu, meterCpu, perOperation } from '../measure/cpu.ts';
import { percentile } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { createSharedBranch, type SharedBranch } from '../stack/shared-branch.ts';

const NODES = 19_700;
const QUICK_NODES = 5_000;
const HITS = 50;
const CALLS_A_TURN = 40;
const WORDS = ['release', 'review', 'budget', 'garden', 'invoice', 'meeting', 'report', 'window'];

const SPREAD = `
MATCH (n:Node {ownerId: $ownerId})
WITH n, toInteger(rand() * 8) AS word, toInteger(rand() * 365) AS day
SET n.title = $words[word] + ' ' + n.id, n.description = 'A task about a ' + $words[(word + 3) % 8],
  n.dueDate = toString(date('2026-01-01') + duration({days: day})) + 'T23:59:59.000Z'`;

/** The driver's queries. Each reads the fields of the hits, in order. */
const FILTER = `
MATCH (n:Node) USING INDEX n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $ownerId AND n.inTrash = false AND n.status IN [0, 1] AND n.dueDate <= $to
WITH n ORDER BY n.dueDate, n.id LIMIT toInteger($hits)
RETURN properties(n) AS node`;
const TEXT = `
MATCH (n:Node) USING INDEX n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $ownerId AND n.inTrash = false
  AND (toLower(n.title) CONTAINS $word OR toLower(n.description) CONTAINS $word)
WITH n ORDER BY n.lastEditedTime DESC, n.id LIMIT toInteger($hits)
RETURN properties(n) AS node`;
const NODE = 'MATCH (n:Node {id: $id}) RETURN properties(n) AS node';

export const find: Measurement = { stack: {}, run };

type Side = 'filter' | 'text' | 'get';
const SIDES = ['filter', 'text', 'get'] as const;
type Acts = Readonly<Record<Side, () => Promise<void>>>;

interface Times {
  readonly ms: number[];
  readonly cpu: Cpu[];
}

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const size = pace.quick ? QUICK_NODES : NODES;
  note(`growing a graph of ${size.toLocaleString('en')} nodes`);
  const branch = await createSharedBranch(stack, 'find', size);
  const ownerId = branch.owner.id;
  return withDirectWrites(stack.access, async (runStatement) => {
    await runStatement(SPREAD, { ownerId, words: WORDS });
    const client = await connect({ url: stack.urls[0] as string, token: branch.owner.token });
    try {
      const ours = ourActs(client, branch);
      const theirs = driverActs(runStatement, branch);
      const change = async () => {
        await client.node.update({ id: leafOf(branch), volume: 1 + Math.floor(Math.random() * 1_000) });
      };
      const act = (acts: Acts, side: Side) => turn(stack, acts[side], side === 'get' ? async () => {} : change);
      note('warming up');
      const sides = {
        filter: async () => p95((await act(ours, 'filter')).ms),
        text: async () => p95((await act(ours, 'text')).ms),
        get: async () => p95((await act(ours, 'get')).ms),
        'driver filter': async () => p95((await act(theirs, 'filter')).ms),
        'driver text': async () => p95((await act(theirs, 'text')).ms),
      };
      const warmed = await warmUp(sides, pace.warmUpLimitMs, note);
      const found = new Map<string, Times>();
      for (let at = 1; at <= pace.turns; at++) {
        for (const side of SIDES) {
          put(found, `ours ${side}`, await act(ours, side));
          put(found, `baseline ${side}`, await act(theirs, side));
        }
        note(`turn ${at} of ${pace.turns}`);
      }
      return SIDES.map((side) => {
        const [one, other] = [found.get(`ours ${side}`) as Times, found.get(`baseline ${side}`) as Times];
        return resultOf({
          scenario: side === 'get' ? 'node-get' : `find ${side}`,
          ours: p95(one.ms),
          baseline: p95(other.ms),
          unit: 'ms p95',
          cpu: side === 'get' ? { ours: meanCpu(one.cpu), baseline: meanCpu(other.cpu) } : {},
          warmUp: warmed,
          notes: [
            `${size.toLocaleString('en')} nodes${side === 'get' ? '' : `, ${HITS} hits, a change before each search`}`,
          ],
        });
      });
    } finally {
      client.close();
    }
  });
}

function ourActs(client: TaskgraphClient, branch: SharedBranch): Acts {
  return {
    filter: async () => {
      const where = { status: [0, 1], due: { to: dayOf() } };
      await client.node.find({ where, sort: 'due', limit: HITS });
    },
    text: async () => {
      await client.node.find({ text: wordOf(), limit: HITS });
    },
    get: async () => {
      await client.node.get({ id: leafOf(branch) });
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
    get: () => rows(NODE, { id: leafOf(branch) }),
  };
}

/** The processor time includes the preparations; the elapsed time does not. */
async function turn(stack: BenchStack, act: () => Promise<void>, prepare: () => Promise<void>) {
  const ms: number[] = [];
  const meter = meterCpu(stack.roles());
  for (let call = 0; call < CALLS_A_TURN; call++) {
    await prepare();
    const startedAt = performance.now();
    await act();
    ms.push(performance.now() - startedAt);
  }
  return { ms, cpu: perOperation(meter(), CALLS_A_TURN) };
}

function put(found: Map<string, Times>, name: string, { ms, cpu }: { ms: number[]; cpu: Cpu }): void {
  const times = found.get(name) ?? { ms: [], cpu: [] };
  times.ms.push(...ms);
  times.cpu.push(cpu);
  found.set(name, times);
}

function p95(times: readonly number[]): number {
  return percentile(times, 0.95);
}

function meanCpu(samples: readonly Cpu[]): Cpu {
  const roles = Object.keys(samples[0] ?? {});
  return Object.fromEntries(
    roles.map((role) => [role, samples.reduce((sum, cpu) => sum + (cpu[role] ?? 0), 0) / samples.length]),
  );
}

function leafOf({ trees }: SharedBranch): string {
  const { projects } = trees[Math.floor(Math.random() * trees.length)] as SharedBranch['trees'][number];
  const { leaves } = projects[Math.floor(Math.random() * projects.length)] as (typeof projects)[number];
  return leaves[Math.floor(Math.random() * leaves.length)] as string;
}

const wordOf = () => WORDS[Math.floor(Math.random() * WORDS.length)] as string;
const dayOf = () => `2026-${String(1 + Math.floor(Math.random() * 12)).padStart(2, '0')}-15`;
