// The slices that each reader of a feed hears while readers come and go, whatever becomes of the messages: random runs against what was true at each commit.
import { runs, timeFor } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createStorm, heardBy, KEEPERS, type Listener, type Step, stepsOf } from '../test/support/storm.ts';

const RUNS = { numRuns: runs(150) };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Storm = ReturnType<typeof createStorm>;
const isKeeper = ({ who }: Listener) => (KEEPERS as readonly string[]).includes(who);

/** Nobody hears what was committed while they had no access, nor anything twice or out of order. */
function expectNoLeak(storm: Storm): void {
  for (const listener of storm.listeners) {
    const heard = heardBy(listener);
    expect(heard.filter((seq) => !storm.couldRead(listener.who, seq))).toEqual([]);
    expect(heard).toEqual([...new Set(heard)].sort((one, other) => one - other));
  }
}

async function run(
  faults: boolean,
  steps: readonly Step[],
  authorize: (storm: Storm) => void | Promise<void>,
): Promise<void> {
  const storm = createStorm({ faults });
  try {
    for (const step of steps) {
      await storm.take(step);
      expectNoLeak(storm);
    }
    await storm.settle();
    expectNoLeak(storm);
    await authorize(storm);
  } finally {
    storm.stop();
  }
}

/** A change that all hear who may, whatever happened before. */
async function expectHealed(storm: Storm): Promise<void> {
  await storm.take({ step: 'commit', deeds: [{ what: 'change' }] });
  await storm.settle();
  for (const listener of storm.listeners.filter(isKeeper)) expect(heardBy(listener).at(-1)).toBe(storm.head());
  expectNoLeak(storm);
}

/** A reader who has had access since they connected, keeper or not, has heard each number. */
function expectAllHeard(storm: Storm): void {
  for (const listener of storm.listeners) {
    const all = Array.from({ length: storm.head() - listener.head }, (_, index) => listener.head + index + 1);
    if (all.every((seq) => storm.couldRead(listener.who, seq))) expect(heardBy(listener)).toEqual(all);
  }
  expect(storm.counts).toEqual({ skipped: 0, unexplained: 0 });
}

it(
  '[EVT4, ACL7] whoever keeps access hears every number in order, and whoever is out nothing, in whatever order messages come',
  async () => {
    const property = fc.asyncProperty(stepsOf({ faults: false }), (steps) => run(false, steps, expectAllHeard));
    await fc.assert(property, RUNS);
  },
  timeFor(60_000),
);

it(
  '[ACL7, EVT4] nobody hears what was committed while they were out, where control messages and slices get lost, and keepers recover',
  async () => {
    const property = fc.asyncProperty(stepsOf({ faults: true }), (steps) => run(true, steps, expectHealed));
    await fc.assert(property, RUNS);
  },
  timeFor(60_000),
);

it('[EVT4] who comes back by an authorization from before what they heard is sent nothing twice', async () => {
  const steps: Step[] = [
    { step: 'commit', deeds: [{ what: 'revoke', who: 'mo' }, { what: 'change' }] },
    { step: 'commit', deeds: [{ what: 'grant', who: 'mo' }] },
    { step: 'arrive', pick: 0 },
    { step: 'hold' },
    ...[0, 0, 0].map((pick) => ({ step: 'arrive', pick }) as const),
    { step: 'commit', deeds: [{ what: 'change' }, { what: 'unpublish' }] },
    { step: 'arrive', pick: 2 },
    { step: 'arrive', pick: 5 },
    { step: 'wait' },
  ];
  await run(true, steps, expectHealed);
});
