// The numbers that each reader of a feed receives while readers come and go and messages are
// delayed or lost: random runs against the access at each commit. The numbers F1 to F8 are the
// invariants of feed-channel.ts.
import { runs, timeFor } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  createFeedModel,
  KEEPERS,
  type Listener,
  receivedBy,
  type Step,
  stepsOf,
  useModelClock,
} from '../test/support/feed-model.ts';

/** Shrinking takes longer than the time limit: its seed and path repeat a failure. */
const RUNS = { numRuns: runs(150), endOnFailure: true };

beforeEach(useModelClock);
afterEach(() => void vi.useRealTimers());

type FeedModel = ReturnType<typeof createFeedModel>;
const isKeeper = ({ who }: Listener) => (KEEPERS as readonly string[]).includes(who);

/** One list of all faults, since an `expect` for each would take most of the time. */
function faultsOf(model: FeedModel, listener: Listener): string[] {
  const received = receivedBy(listener);
  const leaked = received.filter((seq) => !model.couldRead(listener.who, seq));
  const disordered = received.filter((seq, index) => index > 0 && seq <= (received[index - 1] ?? 0));
  const rooms = [...listener.socket.rooms].join();
  return [
    ...leaked.map((seq) => `${listener.who} received ${seq} without access`),
    ...disordered.map((seq) => `${listener.who} received ${seq} twice or out of order`),
    ...(rooms === model.liveRooms(listener).join() ? [] : [`${listener.who} is in the rooms ${rooms}`]),
    ...model.overdue(listener).map((end) => `${listener.who} has a subscription past its end, ${end}`),
  ];
}

/**
 * F1, F4, F7: nothing without access, nothing twice or out of order, no subscription past its end.
 * F8: no outdated copy.
 */
function expectNoLeak(model: FeedModel): void {
  const faults = model.listeners.flatMap((listener) => faultsOf(model, listener));
  expect([...faults, ...model.outdatedCopies()]).toEqual([]);
}

async function run(
  faults: boolean,
  steps: readonly Step[],
  judge: (model: FeedModel) => void | Promise<void>,
): Promise<void> {
  const model = createFeedModel({ faults });
  try {
    for (const step of steps) {
      await model.take(step);
      expectNoLeak(model);
    }
    await model.settle();
    expectNoLeak(model);
    // F6: no slice is held for ever.
    expect(model.held()).toBe(0);
    await judge(model);
  } finally {
    model.stop();
  }
}

/** F2, F5: every keeper receives the next change after any run. */
async function expectRecovery(model: FeedModel): Promise<void> {
  await model.take({ step: 'commit', changes: [{ what: 'edit' }] });
  await model.settle();
  for (const listener of model.listeners.filter(isKeeper)) expect(receivedBy(listener).at(-1)).toBe(model.head());
  expectNoLeak(model);
}

/** F5: a reader with access since they connected, keeper or not, has received each number. */
function expectAllReceived(model: FeedModel): void {
  for (const listener of model.listeners) {
    const all = Array.from({ length: model.head() - listener.head }, (_, index) => listener.head + index + 1);
    if (all.every((seq) => model.couldRead(listener.who, seq))) expect(receivedBy(listener)).toEqual(all);
  }
  expect(model.counts).toEqual({ skipped: 0, unexplained: 0 });
}

it(
  '[EVT4, ACL7] F1, F2, F4, F5: without faults a reader with access receives every number in order, and other readers none',
  async () => {
    const property = fc.asyncProperty(stepsOf({ faults: false }), (steps) => run(false, steps, expectAllReceived));
    await fc.assert(property, RUNS);
  },
  timeFor(200_000),
);

it(
  '[ACL7, EVT4] F1 to F6: with lost and late messages no reader receives a number committed without their access, and keepers recover',
  async () => {
    const property = fc.asyncProperty(stepsOf({ faults: true }), (steps) => run(true, steps, expectRecovery));
    await fc.assert(property, RUNS);
  },
  timeFor(200_000),
);

it.each([
  ['in time', false],
  ['lost and late', true],
])(
  '[ACL5, ACL7, PUB6] F7: no reader receives a number committed after their end, for any moves of the end, with messages %s',
  async (_what, faults) => {
    const property = fc.asyncProperty(stepsOf({ faults, ends: true }), (steps) => run(faults, steps, expectRecovery));
    await fc.assert(property, RUNS);
  },
  timeFor(200_000),
);

it('[EVT4] F4: a reader who returns with an authorization older than their last number receives no slice twice', async () => {
  const steps: Step[] = [
    { step: 'commit', changes: [{ what: 'revoke', who: 'mo' }, { what: 'edit' }] },
    { step: 'commit', changes: [{ what: 'grant', who: 'mo' }] },
    { step: 'arrive', pick: 0 },
    { step: 'hold' },
    ...[0, 0, 0].map((pick) => ({ step: 'arrive', pick }) as const),
    { step: 'commit', changes: [{ what: 'edit' }, { what: 'unpublish' }] },
    { step: 'arrive', pick: 2 },
    { step: 'arrive', pick: 5 },
    { step: 'wait' },
  ];
  await run(true, steps, expectRecovery);
});

it('[PUB6, EVT4] F5, F7: an anonymous reader misses nothing when the end of the publication moves twice', async () => {
  const steps: Step[] = [
    { step: 'commit', changes: [{ what: 'end', who: 'anonymous', inMs: 400 }, { what: 'edit' }] },
    { step: 'wait' },
    { step: 'commit', changes: [{ what: 'end', who: 'anonymous', inMs: null }, { what: 'edit' }] },
    { step: 'wait' },
    ...Array.from({ length: 4 }, () => ({ step: 'wait' }) as const),
    { step: 'commit', changes: [{ what: 'edit' }] },
  ];
  await run(false, steps, expectAllReceived);
});

it('[ACL5, ACL7] F3, F7: an authorization from before a bump that set an end is valid until that end', async () => {
  const steps: Step[] = [
    { step: 'hold' },
    { step: 'read', who: 'mo' },
    { step: 'commit', changes: [{ what: 'end', who: 'mo', inMs: 400 }] },
    { step: 'arrive', pick: 0 },
    { step: 'enter' },
    { step: 'wait' },
    { step: 'commit', changes: [{ what: 'edit' }] },
  ];
  await run(true, steps, expectRecovery);
});

it('[ACL5, EVT5] F8: a reader without access is copied without a number, also after an outage', async () => {
  const steps: Step[] = [
    { step: 'commit', changes: [{ what: 'end', who: 'max', inMs: -1 }] },
    { step: 'disconnect' },
    ...[0, 0].map((pick) => ({ step: 'arrive', pick }) as const),
    { step: 'reconnect' },
    { step: 'wait' },
    { step: 'wait' },
    { step: 'connect', who: 'max' },
    { step: 'connect', who: 'max' },
  ];
  await run(true, steps, expectRecovery);
});
