// Scenario `mutations`: 64 sockets write to trees of 8 owners through the whole stack, in turn with the baseline on the same database.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@taskgraph/launcher/processes/ports';
import { startStack } from '@taskgraph/launcher/stack';
import { openBaseline } from './baseline.ts';
import { openOurs } from './ours.ts';
import { type Result, resultOf } from './report.ts';
import { OWNERS, prepareCorners, type Target, WRITERS, writeFor } from './workload.ts';

const WARM_UP_MS = 15_000;
const TURN_MS = 3_000;
const TURNS = 5;

/** Runs the scenario on a stack of its own in a temporary folder. `note` gets a line for every step. */
export async function benchMutations(note: (line: string) => void): Promise<Result[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-bench-'));
  const [port = 0] = await freePorts(1);
  note('starting a stack of its own');
  const stack = await startStack({ dataDir, port, workers: 2, gateways: 1, environment: { TASKGRAPH_LIMITS: 'off' } });
  try {
    const owners = Array.from({ length: OWNERS }, (_, owner) => `owner-${owner}`);
    const tokens: string[] = [];
    for (const owner of owners) tokens.push(await stack.makeToken(`${owner}@example.com`, owner));
    const ours = await openOurs(stack.urls, tokens, WRITERS);
    const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = stack.environment;
    const baseline = await openBaseline({ url, user, password }, OWNERS);
    try {
      return [await interleave(bySocket(ours.targets), baseline, note)];
    } finally {
      ours.close();
      await baseline.close();
    }
  } finally {
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The two sides take turns, so that a machine that speeds up or slows down does so for both. */
async function interleave(ours: Target, baseline: Target, note: (line: string) => void): Promise<Result> {
  const ourCorners = await prepareCorners(ours);
  const baselineCorners = await prepareCorners(baseline);
  note('warming up');
  await writeFor(baseline, baselineCorners, WARM_UP_MS);
  await writeFor(ours, ourCorners, WARM_UP_MS);
  const rates = { ours: 0, baseline: 0 };
  for (let turn = 1; turn <= TURNS; turn++) {
    const theirs = await writeFor(baseline, baselineCorners, TURN_MS);
    const own = await writeFor(ours, ourCorners, TURN_MS);
    note(`turn ${turn} of ${TURNS}: ours ${own.toFixed(0)}, baseline ${theirs.toFixed(0)} commands/s`);
    rates.ours += own / TURNS;
    rates.baseline += theirs / TURNS;
  }
  return resultOf('mutations', rates.ours, rates.baseline, 'commands/s');
}

/** Spreads calls over the sockets of their owner, in turn: eight writers of an owner share its eight sockets. */
function bySocket(targets: readonly Target[]): Target {
  const next = Array.from({ length: OWNERS }, () => 0);
  const pick = (owner: number): Target => {
    const turn = next[owner] ?? 0;
    next[owner] = turn + 1;
    const perOwner = targets.length / OWNERS;
    return targets[owner + OWNERS * (turn % perOwner)] as Target;
  };
  return {
    addRoot: (owner) => pick(owner).addRoot(owner),
    addChild: (owner, parent, title) => pick(owner).addChild(owner, parent, title),
    rename: (owner, node, title) => pick(owner).rename(owner, node, title),
    setStatus: (owner, node, status) => pick(owner).setStatus(owner, node, status),
    addLink: (owner, source, target) => pick(owner).addLink(owner, source, target),
    trashLink: (owner, link) => pick(owner).trashLink(owner, link),
  };
}
