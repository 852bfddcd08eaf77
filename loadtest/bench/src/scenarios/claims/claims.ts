// Scenario `claims`: 64 agents of one user drain a queue of 2,000 nodes by claims, against plain
// updates that start as many named nodes. Each turn has a new user. Checks that no node is claimed
// twice, and that a drain after the death of half of the agents leaves no node behind.
import { ask, openRest, type Rest } from '../../clients/rest.ts';
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
const BUSY = 503;

/** In: owner, until. Out: ended, the number of claims that now ended in the past. */
const END_CLAIMS = `
MATCH (owner:User {id: $owner}) SET owner.rev = owner.rev + 1
WITH owner MATCH (n:Node {ownerId: owner.id, inTrash: false}) WHERE n.claimUntil IS NOT NULL
SET n.claimUntil = $until RETURN count(n) AS ended`;

export const claims: Measurement = { stack: {}, run };

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const rest = openRest(stack.urls[0] as string, AGENTS);
  try {
    const sides = {
      claims: async () => rateOf(() => drain(rest, stack, note)),
      updates: async () => rateOf(() => startNamed(rest, stack)),
    };
    note(`warming up, ${pace.warmUpLimitMs / 1_000} s at most`);
    const warmed = await warmUp(sides, pace.warmUpLimitMs, note);
    const rates: Record<keyof typeof sides, number[]> = { claims: [], updates: [] };
    for (let turn = 1; turn <= pace.turns; turn++) {
      rates.claims.push(await sides.claims());
      rates.updates.push(await sides.updates());
      note(`turn ${turn} of ${pace.turns}: ${lastOf(rates.claims)} claims/s, ${lastOf(rates.updates)} updates/s`);
    }
    const survived = await drainAfterDeath(rest, stack);
    return [
      resultOf({
        scenario: 'claims',
        ours: median(rates.claims),
        baseline: median(rates.updates),
        unit: 'nodes/s',
        warmUp: warmed,
        notes: [
          `${AGENTS} agents, ${NODES} nodes; no node was claimed twice`,
          `of agents that died with ${survived.dead} claims, none was lost: ${survived.completed} nodes completed`,
        ],
      }),
    ];
  } finally {
    rest.close();
  }
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

/** A new user with this queue, and the ids of its nodes. */
async function newQueue(rest: Rest, { access }: BenchStack): Promise<{ user: BenchUser; ids: string[] }> {
  const [user] = (await createUsers(access, `agents-${users++}`, 1)) as [BenchUser];
  const ids: string[] = [];
  for (let from = 0; from < NODES; from += NODES_A_BATCH) {
    const operations = Array.from({ length: NODES_A_BATCH }, (_, index) => ({
      event: 'node:add',
      payload: { title: `task ${from + index}`, priority: (from + index) % 7 },
    }));
    const { results } = await ask<{ results: { id: string }[] }>(rest, 'POST', '/api/batch', user.token, {
      operations,
    });
    ids.push(...results.map(({ id }) => id));
  }
  return { user, ids };
}

interface Claim {
  readonly node: { readonly id: string } | null;
  readonly claimId: string | null;
}

/** The next claim of an agent; null if nothing is left. */
async function nextClaim(rest: Rest, token: string, onBusy: () => void = () => undefined): Promise<Claim | null> {
  for (;;) {
    const { status, body } = await rest.send('POST', '/api/node/claim', token, {});
    if (status === BUSY) {
      onBusy();
      continue;
    }
    if (status !== 200) throw new Error(`a claim was answered ${status}: ${body.slice(0, 200)}`);
    const claim = JSON.parse(body) as Claim;
    return claim.node === null ? null : claim;
  }
}

async function drain(rest: Rest, stack: BenchStack, note: (line: string) => void): Promise<Timed> {
  const { user, ids } = await newQueue(rest, stack);
  const taken: string[] = [];
  let busy = 0;
  const agent = async () => {
    for (;;) {
      const claim = await nextClaim(rest, user.token, () => busy++);
      if (claim?.node == null) return;
      taken.push(claim.node.id);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: AGENTS }, agent));
  const ms = performance.now() - startedAt;
  expectEach(ids, taken);
  if (busy > 0) note(`${busy} claims were told to try again`);
  return { ms, nodes: taken.length };
}

/** The same number of changes without a choice: updates of named nodes. */
async function startNamed(rest: Rest, stack: BenchStack): Promise<Timed> {
  const { user, ids } = await newQueue(rest, stack);
  const left = [...ids];
  const client = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      await ask(rest, 'PUT', '/api/node', user.token, { id, status: 1, assignee: ['agent'] });
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: AGENTS }, client));
  return { ms: performance.now() - startedAt, nodes: ids.length };
}

/**
 * Half of the agents die with claims, the others complete what they claim. Once the claims of the dead
 * have ended, the others complete the rest.
 */
async function drainAfterDeath(rest: Rest, stack: BenchStack): Promise<{ dead: number; completed: number }> {
  const { user, ids } = await newQueue(rest, stack);
  const completed: string[] = [];
  const abandoned: Claim[] = [];
  const worker = async () => {
    for (
      let claim = await nextClaim(rest, user.token);
      claim?.node != null;
      claim = await nextClaim(rest, user.token)
    ) {
      const { node, claimId } = claim;
      await ask(rest, 'PUT', '/api/node', user.token, { id: node.id, claim: claimId, status: 3 });
      completed.push(node.id);
    }
  };
  const dying = async () => {
    for (let count = 0; count < CLAIMS_OF_THE_DEAD; count++) {
      const claim = await nextClaim(rest, user.token);
      if (claim !== null) abandoned.push(claim);
    }
  };
  const half = Array.from({ length: AGENTS / 2 });
  await Promise.all([...half.map(dying), ...half.map(worker)]);
  const until = new Date(0).toISOString();
  await withDirectWrites(stack.access, (runStatement) => runStatement(END_CLAIMS, { owner: user.id, until }));
  await Promise.all(half.map(worker));
  expectEach(ids, completed);
  const [first] = abandoned as [Claim];
  const late = { id: first.node?.id, claim: first.claimId, title: 'late' };
  const { status } = await rest.send('PUT', '/api/node', user.token, late);
  if (status !== 409) throw new Error(`an agent whose claim has ended was answered ${status}`);
  return { dead: abandoned.length, completed: completed.length };
}

function expectEach(ids: readonly string[], taken: readonly string[]): void {
  const distinct = new Set(taken);
  if (distinct.size !== taken.length) throw new Error(`${taken.length - distinct.size} nodes were taken twice`);
  const missing = ids.filter((id) => !distinct.has(id));
  if (missing.length > 0) throw new Error(`${missing.length} nodes were not taken`);
}
