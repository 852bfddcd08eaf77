// Scenarios `graph-walk` and `grantee-page`: all pages of a branch of 100,000 nodes, read by its
// owner, against the bare driver that streams the same properties; and its grantee's pages of links
// against the owner's.
import type { Read } from '../../clients/readers.ts';
import { mean } from '../../measure/figures.ts';
import { warmUp } from '../../measure/steadiness.ts';
import { type Result, resultOf } from '../../report/result.ts';
import type { Bench, Measurement } from '../../scenario.ts';
import type { BenchStack } from '../../stack/bench-stack.ts';
import { createSharedBranch, type SharedBranch } from '../../stack/shared-branch.ts';
import { titleText } from '../../title-text.ts';
import { compare, type MeteredRead, openReaders, perThousand } from '../read-sides.ts';

const NODES = 100_000;
const QUICK_NODES = 10_000;
/** Read repeatedly until the time is steady. */
const WARM_UP_NODES = 10_000;
const PAGE = 1_000;

export const graphWalk: Measurement = { stack: {}, run };

let graphs = 0;

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const readers = await openReaders(stack);
  try {
    const small = await createBranch(stack, WARM_UP_NODES);
    await readers.connect(readOf(small, 'owner'));
    note('warming up on a small graph');
    const sides = {
      owner: async () => perThousand(await readers.ours(readOf(small, 'owner'))),
      grantee: async () => perThousand(await readers.ours(readOf(small, 'guest'))),
      baseline: async () => perThousand(await readers.streaming(readOf(small, 'owner'))),
    };
    const warmed = await warmUp(sides, pace.warmUpLimitMs, note);
    const size = pace.quick ? QUICK_NODES : NODES;
    note(`growing a branch of ${size.toLocaleString('en')} nodes`);
    const branch = await createBranch(stack, size);
    const [owner, guest] = [readOf(branch, 'owner'), readOf(branch, 'guest')];
    const cold = await readers.ours(owner);
    const baseline = await readers.streaming(owner);
    const warm = await readers.ours(owner);
    const again = await readers.streaming(owner);
    const grantee = await readers.ours(guest);
    const notes = [
      linesOf('cold', cold),
      linesOf('warm', warm),
      linesOf('baseline', baseline),
      linesOf('grantee', grantee),
    ];
    note(notes.join('; '));
    return [
      ...compare('graph-walk cold', [cold], [baseline, again], warmed),
      ...compare('graph-walk warm', [warm], [baseline, again], warmed),
      resultOf({
        scenario: 'grantee-page',
        ours: mean(grantee.linkPages),
        baseline: mean(cold.linkPages),
        warmUp: warmed,
        unit: 'ms a page of links',
        notes: [`a branch of ${size.toLocaleString('en')} nodes; baseline: its owner's pages`],
      }),
    ];
  } finally {
    await readers.stop();
  }
}

function createBranch(stack: BenchStack, size: number): Promise<SharedBranch> {
  return createSharedBranch(stack, `walk-${graphs++}`, size, titleText);
}

function readOf({ owner, guest }: SharedBranch, who: 'owner' | 'guest'): Read {
  return { token: who === 'owner' ? owner.token : guest.token, ownerId: owner.id, limit: PAGE };
}

function linesOf(name: string, sample: MeteredRead): string {
  return `${name} ${perThousand(sample).toFixed(1)} ms a thousand`;
}
