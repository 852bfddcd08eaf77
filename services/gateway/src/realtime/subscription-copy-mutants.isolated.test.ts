// The feed model must detect each way in which a connecting socket could be copied when it must not.
import { fileURLToPath } from 'node:url';
import { type Fault, faultyModule } from '@taskgraph/testkit/faults';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Step, useModelClock } from '../test/support/feed-model.ts';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
/** Random runs in which a fault must show. */
const RUNS = 400;

const MUTANTS: Readonly<Record<string, Fault>> = {
  'a socket is copied after an epoch rose': {
    file: 'services/gateway/src/realtime/feed-channel.ts',
    find: '    if (this.#epoch !== epoch || this.#highestSeen.epoch > epoch) return null;\n',
    replace: '',
  },
  'a socket is copied while a slice of a later epoch is buffered': {
    file: 'services/gateway/src/realtime/feed-channel.ts',
    find: '    this.#noteSeen(received.slice);\n',
    replace: '',
  },
  'a socket is copied while a number is missing': {
    file: 'services/gateway/src/realtime/feed-channel.ts',
    find: '    if (this.#seq < Math.max(seq, this.#highestSeen.seq)) return null;\n',
    replace: '',
  },
  'a socket is copied after a message named its user': {
    file: 'services/gateway/src/realtime/feed-lookup-cache.ts',
    find: '      lookups.delete(id);\n',
    replace: '',
  },
  'a look-up is cached though a message named its user meanwhile': {
    file: 'services/gateway/src/realtime/feed-lookup-cache.ts',
    find: 'if (!lookup.isOutdated) lookups.set',
    replace: 'lookups.set',
  },
  'a socket is copied while Redis is away': {
    file: 'services/gateway/src/realtime/subscriptions.ts',
    find: 'const isCached = source.isConnected();',
    replace: 'const isCached = true;',
  },
  'a socket is copied by a look-up from before an outage of Redis': {
    file: 'services/gateway/src/realtime/feed-lookup-cache.ts',
    find: ' || lookup.startedMs <= droppedUntilMs',
    replace: '',
  },
};

beforeEach(useModelClock);
afterEach(() => void vi.useRealTimers());

/** The first run with an outdated copy; null if there is none. */
async function firstFault(): Promise<readonly Step[] | null> {
  const { createFeedModel, stepsOf } = await import('../test/support/feed-model.ts');
  for (const steps of fc.sample(stepsOf({ faults: true, ends: true }), { seed: 1, numRuns: RUNS })) {
    const model = createFeedModel({ faults: true });
    try {
      for (const step of steps) await model.take(step);
      await model.settle();
      if (model.outdatedCopies().length > 0) return steps;
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

test('[ACL7] F8: the same runs make no outdated copy', async () => {
  expect(await firstFault()).toBeNull();
});
