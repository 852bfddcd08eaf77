// Scenario `graph-page`: pages of 1,000 as an owner and as the grantee of a branch, against the
// bare driver that streams the same properties and serializes them to JSON. A cold walk reads a
// graph that was never read before, a warm one a graph that was just read.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Read } from '../clients/readers.ts';
import { median } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { createSharedBranch } from '../stack/shared-branch.ts';
import { titleText } from '../title-text.ts';
import { compare, type MeteredRead, openReaders, perThousand } from './read-sides.ts';

/** Ten pages, with as many links. */
const GRAPH_NODES = 5_000;
const QUICK_NODES = 2_000;
/** For the database's work after the writes. */
const SETTLE_MS = 1_000;
const PAGE = 1_000;
/** The bound for a page of nodes on the wire. */
const PAGE_KB = 100;

const ROLES = ['owner', 'grantee'] as const;
type Role = (typeof ROLES)[number];

interface Walks {
  readonly cold: MeteredRead;
  readonly warm: MeteredRead;
  readonly baseline: MeteredRead;
}

export const graphPage: Measurement = { stack: {}, run };

let graphs = 0;

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const readers = await openReaders(stack);
  try {
    const walks = (role: Role) => readNewGraph(stack, readers, role, pace.quick ? QUICK_NODES : GRAPH_NODES);
    let baseline = 0;
    const cold = (role: Role) => async () => {
      const walked = await walks(role);
      baseline = perThousand(walked.baseline);
      return perThousand(walked.cold);
    };
    note('warming up on fresh graphs');
    const sides = { owner: cold('owner'), grantee: cold('grantee'), baseline: async () => baseline };
    const warmed = await warmUp(sides, pace.warmUpLimitMs, note);
    const found: Record<Role, Walks[]> = { owner: [], grantee: [] };
    for (let turn = 1; turn <= pace.turns; turn++) {
      for (const role of ROLES) found[role].push(await walks(role));
      note(
        `turn ${turn} of ${pace.turns}: ${ROLES.map((role) => lineOf(role, found[role].at(-1) as Walks)).join('; ')}`,
      );
    }
    return ROLES.flatMap((role) => [
      ...(['cold', 'warm'] as const).flatMap((heat) =>
        compare(
          `graph-page ${role} ${heat}`,
          found[role].map((walk) => walk[heat]),
          found[role].map(({ baseline }) => baseline),
          warmed,
        ),
      ),
      resultOf({
        scenario: `page-bytes ${role}`,
        ours: median(found[role].map(({ cold }) => cold.firstBytes)) / 1_000,
        baseline: PAGE_KB,
        unit: 'KB',
      }),
    ]);
  } finally {
    await readers.stop();
  }
}

type Readers = Awaited<ReturnType<typeof openReaders>>;

/**
 * Creates a graph that one reader alone reads: a grantee's first page is cold for the service too.
 */
async function readNewGraph(stack: BenchStack, readers: Readers, role: Role, nodes: number): Promise<Walks> {
  const turn = graphs++;
  const { owner, guest } = await createSharedBranch(stack, `page-${turn}`, nodes, titleText);
  const read: Read = { token: role === 'owner' ? owner.token : guest.token, ownerId: owner.id, limit: PAGE };
  await readers.connect(read);
  await sleep(SETTLE_MS);
  // The second side finds a warmer database, so each side is first in half of the turns. Each role
  // has its own graph in a turn.
  const [cold, baseline] =
    turn % 4 < 2
      ? [await readers.ours(read), await readers.baseline(read)]
      : [await readers.baseline(read), await readers.ours(read)].reverse();
  const warm = await readers.ours(read);
  if (cold === undefined || baseline === undefined) throw new Error('nothing was read');
  if (cold.entities !== baseline.entities)
    throw new Error(`${cold.entities} entities, the driver ${baseline.entities}`);
  return { cold, baseline, warm };
}

function lineOf(role: Role, walks: Walks): string {
  const [cold, warm, baseline] = [walks.cold, walks.warm, walks.baseline].map((walk) => perThousand(walk).toFixed(1));
  const bytes = `${(walks.cold.firstBytes / 1_000).toFixed(0)} KB for the first page`;
  return `${role} cold ${cold}, warm ${warm}, baseline ${baseline} ms, ${bytes}`;
}
