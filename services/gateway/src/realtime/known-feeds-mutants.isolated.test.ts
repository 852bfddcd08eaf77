// The feed model must detect each way in which a connecting socket could share what is out of date.
import { fileURLToPath } from 'node:url';
import { type Fault, faultyModule } from '@taskgraph/testkit/faults';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Step } from '../test/support/feed-model.ts';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
/** Random runs in which a fault must show. */
const RUNS = 150;

const MUTANTS: Readonly<Record<string, Fault>> = {
  'feeds are shared after an epoch rose': {
    file: 'services/gateway/src/realtime/feed-channel.ts',
    find: '    if (this.#epoch !== epoch || this.#shownEpoch > epoch) return null;\n',
    replace: '',
  },
  'feeds are shared while a slice of a later epoch is held': {
    file: 'services/gateway/src/realtime/feed-channel.ts',
    find: '    this.#noteShown(received.slice);\n',
    replace: '',
  },
  'feeds are shared while a number is missing': {
    file: 'services/gateway/src/realtime/feed-channel.ts',
    find: '    if (this.#seq < Math.max(seq, this.#shownSeq)) return null;\n',
    replace: '',
  },
  'feeds are shared after a message named their reader': {
    file: 'services/gateway/src/realtime/known-feeds.ts',
    find: '    answers.delete(id);\n',
    replace: '',
  },
  'the answer to a look-up is kept though a message named its reader meanwhile': {
    file: 'services/gateway/src/realtime/known-feeds.ts',
    find: 'if (!lookup.isOutdated) answers.set',
    replace: 'answers.set',
  },
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The first run that shares what is out of date; null if none does. */
async function firstFault(): Promise<readonly Step[] | null> {
  const { createFeedModel, stepsOf } = await import('../test/support/feed-model.ts');
  for (const steps of fc.sample(stepsOf({ faults: true, ends: true }), { seed: 1, numRuns: RUNS })) {
    const model = createFeedModel({ faults: true });
    try {
      for (const step of steps) await model.take(step);
      await model.settle();
      if (model.wronglyShared().length > 0) return steps;
    } finally {
      model.stop();
    }
  }
  return null;
}

test.each(Object.keys(MUTANTS))('[ACL7] F8: the model detects that %s', async (name) => {
  const fault = MUTANTS[name] as Fault;
  const file = `${REPOSITORY}${fault.file}`;
  vi.resetModules();
  vi.doMock(file, () => import(/* @vite-ignore */ faultyModule(REPOSITORY, fault)));
  try {
    expect(await firstFault()).not.toBeNull();
  } finally {
    vi.doUnmock(file);
    vi.resetModules();
  }
});

test('[ACL7] F8: the same runs share nothing that is out of date', async () => {
  expect(await firstFault()).toBeNull();
});
