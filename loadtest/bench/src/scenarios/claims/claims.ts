// Scenario `claims`: 64 agents of one user drain a queue of 2,000 nodes by claims, against plain
// updates that start as many named nodes. Each turn has a new user. Checks that no node is claimed
// twice, and that a drain after the death of half of the agents leaves no node behind.
import { type RestClient, rest, TaskgraphError } from '@taskgraph/client';
import { withDirectWrites } from '../../direct-writes.ts';
import { median } from '../../measure/figures.ts';
import { warmUp } from '../../measure/steadiness.ts';
import { type Result, resultOf } from '../../report/result.ts';
import type { Bench, Measurement } from '../../scenario.ts';
import type { BenchStack } from '../../stack/bench-stack.ts';
import { type BenchUser, createUsers } from '../../stack/users.ts';

const AGENTS = 64;
const NODES = 2_000;
const NODES_A_BATCH = 500;
/** Claims that the agents who die take before. */
const CLAIMS_OF_THE_DEAD = 5;
const ANSWER_LIMIT_MS = 60_000;

/** In: owner, until. Out: ended, the number of claims that now ended in the past. */
const END_CLAIMS = `
MATCH (owner:User {id: $owner}) SET owner.rev = owner.rev + 1
WITH owner MATCH (n:Node {ownerId: owner.id, inTrash: false}) WHERE n.claimUntil IS NOT NULL
SET n.claimUntil = $until RETURN count(n) AS ended`;

export const claims: Measurement = { stack: {}, run };

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const sides = {
    claims: async () => rateOf(() => drain(stack)),
    updates: async () => rateOf(() => startNamed(stack)),
  };
  note(`warming up, ${pace.warmUpLimitMs / 1_000} s at most`);
  const warmed = await warmUp(sides, pace.warmUpLimitMs, note);
  const rates: Record<keyof typeof sides, number[]> = { claims: [], updates: [] };
  for (let turn = 1; turn <= pace.turns; turn++) {
    rates.claims.push(await sides.claims());
    rates.updates.push(await sides.updates());
    note(`turn ${turn} of ${pace.turns}: ${lastOf(rates.claims)} claims/s, ${lastOf(rates.updates)} updates/s`);
  }
  const survived = await drainAfterDeath(stack);
  return [
    resultOf({
      scenario: 'claims',
      ours: median(rates.claims),
      baseline: median(rates.updates),
      unit: 'nodes/s',
      warmUp: warmed,
      notes: [
        `${AGENTS} agents, ${NODES} nodes; no node was claimed twice`,
        `agents died with ${survived.dead} claims, and none was lost: ${survived.completed} nodes were completed`,
      ],
    }),
  ];
}

interface Timed {
  readonly ms: number;
  readonly nodes: number;
}

async function rateOf(work: () => Promise<Timed>): Promise<number> {
  const { ms, nodes } = await work();
  return (nodes * 1_000) / ms;
}

const lastOf = (figures: readonly number[]) => figures.at(-1)?.toFixed(0);

let users = 0;

interface Queue {
  readonly owner: BenchUser;
  readonly client: RestClient;
  readonly ids: readonly string[];
}

/** A new user with a queue. */
async function newQueue({ access, urls }: BenchStack): Promise<Queue> {
  const [owner] = (await createUsers(access, `agents-${users++}`, 1)) as [BenchUser];
  const client = rest({ url: urls[0] as string, token: owner.token });
  const ids: string[] = [];
  for (let from = 0; from < NODES; from += NODES_A_BATCH) {
    const operations = Array.from({ length: NODES_A_BATCH }, (_, index) => ({
      event: 'node:add',
      payload: { title: `task ${from + index}`, priority: (from + index) % 7 },
    }));
    const body = { operations };
    const { results } = await client.request<{ results: { id: string }[] }>('POST', '/api/batch', {
      body,
      timeoutMs: ANSWER_LIMIT_MS,
    });
    ids.push(...results.map(({ id }) => id));
  }
  return { owner, client, ids };
}

interface Claim {
  readonly node: { readonly id: string } | null;
  readonly claimId: string | null;
}

/** The next claim of an agent; its `node` is null if nothing is left. */
const nextClaim = ({ client }: Queue) =>
  client.request<Claim>('POST', '/api/node/claim', { body: {}, timeoutMs: ANSWER_LIMIT_MS });

const update = ({ client }: Queue, body: object) =>
  client.request('PUT', '/api/node', { body, timeoutMs: ANSWER_LIMIT_MS });

async function drain(stack: BenchStack): Promise<Timed> {
  const queue = await newQueue(stack);
  const taken: string[] = [];
  const agent = async () => {
    for (;;) {
      const { node } = await nextClaim(queue);
      if (node === null) return;
      taken.push(node.id);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: AGENTS }, agent));
  const ms = performance.now() - startedAt;
  expectEach(queue.ids, taken);
  return { ms, nodes: taken.length };
}

/** The same number of changes without a choice: updates of named nodes. */
async function startNamed(stack: BenchStack): Promise<Timed> {
  const queue = await newQueue(stack);
  const left = [...queue.ids];
  const writer = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      await update(queue, { id, status: 1, assignee: ['agent'] });
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: AGENTS }, writer));
  return { ms: performance.now() - startedAt, nodes: queue.ids.length };
}

/**
 * Half of the agents die with claims, the others complete what they claim. Once the claims of the dead
 * have ended, the others complete the rest.
 */
async function drainAfterDeath(stack: BenchStack): Promise<{ dead: number; completed: number }> {
  const queue = await newQueue(stack);
  const completed: string[] = [];
  const abandoned: Claim[] = [];
  const worker = async () => {
    for (;;) {
      const { node, claimId } = await nextClaim(queue);
      if (node === null) return;
      await update(queue, { id: node.id, claim: claimId, status: 3 });
      completed.push(node.id);
    }
  };
  const dying = async () => {
    for (let count = 0; count < CLAIMS_OF_THE_DEAD; count++) {
      const claim = await nextClaim(queue);
      if (claim.node !== null) abandoned.push(claim);
    }
  };
  const half = Array.from({ length: AGENTS / 2 });
  await Promise.all([...half.map(dying), ...half.map(worker)]);
  const until = new Date(0).toISOString();
  await withDirectWrites(stack.access, (runStatement) => runStatement(END_CLAIMS, { owner: queue.owner.id, until }));
  await Promise.all(half.map(worker));
  expectEach(queue.ids, completed);
  const [first] = abandoned as [Claim];
  const late = await update(queue, { id: first.node?.id, claim: first.claimId, title: 'late' }).catch(
    (error: unknown) => error,
  );
  if (!(late instanceof TaskgraphError && late.code === 'conflict.claim_ended')) {
    throw new Error(`an agent whose claim has ended was not refused: ${String(late)}`);
  }
  return { dead: abandoned.length, completed: completed.length };
}

function expectEach(ids: readonly string[], taken: readonly string[]): void {
  const distinct = new Set(taken);
  if (distinct.size !== taken.length) throw new Error(`${taken.length - distinct.size} nodes were taken twice`);
  const missing = ids.filter((id) => !distinct.has(id));
  if (missing.length > 0) throw new Error(`${missing.length} nodes were not taken`);
}
