// One vitest project for each kind of backend that tests need. The suffix of a test file chooses
// its project (CONTRIBUTING.md, "Tests").

import { availableParallelism } from 'node:os';
import { faults } from '@taskgraph/testkit/faults';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const resolve = { conditions: ['taskgraph-source'] };
const ssr = { resolve };
/** A condition that a test waits for: only a hang exceeds the limit. */
const expect = { poll: { timeout: 60_000 } };

/** Groups run one after the other, and the projects of a group concurrently. 0 means no order. */
const [first, then] = [{ groupOrder: 1 }, { groupOrder: 2 }];
const KINDS = ['boot', 'neo4j', 'cluster', 'browser', 'alone', 'isolated', 'site'] as const;
const everywhere = ['**/node_modules/**', '**/dist/**', '**/.data/**', '**/.cache/**'];
const backends = 'libs/testkit/src/stack/backends.setup.ts';
const stack = 'libs/testkit/src/stack/stack.setup.ts';
/** Checks every answer and push of a gateway against its declaration. */
const clients = 'libs/testkit/src/contract/clients.setup.ts';
const users = 'libs/testkit/src/stack/users.setup.ts';
/** The factor for the length and the time limit of random tests; `npm run test:nightly` sets it. */
const scale = Math.max(1, Number(process.env.RUNS_SCALE ?? 1));
/**
 * Limits for tests with real backends. They only end tests that hang: a busy machine takes three
 * times as long.
 */
const patient = { testTimeout: 240_000 * scale, hookTimeout: 300_000, expect };

/** The limit for tests without backends. Like the limits above, it only ends tests that hang. */
const quick = { testTimeout: 120_000 * scale, expect };

/**
 * These take minutes, which a new clone does not know. If one starts last, a processor is idle at
 * the end.
 */
const LONGEST = ['recovery.boot', 'failover.boot', 'encryption.boot'];
const placeOf = ({ moduleId }: TestSpecification) => {
  const place = LONGEST.findIndex((name) => moduleId.includes(name));
  return place < 0 ? LONGEST.length : place;
};

/** It needs a database without an administrator, and pages through all users, two at a time. */
const FIRST_ALONE = 'accounts/sign-up.alone';
const isFirst = ({ moduleId }: TestSpecification) => moduleId.includes(FIRST_ALONE);

/**
 * Quick files run first. Then files that boot backends run beside files that share some, the
 * longest first. Files that run alone start with the shortest, which may measure times: the long
 * ones mostly wait, and other files may boot backends beside them.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ofKind = (kind: string) => files.filter(({ project }) => project.name === kind);
    const sorted = await Promise.all(
      ['boot', 'neo4j', 'alone', 'pure', 'isolated', 'tidy', 'cluster', 'browser', 'site'].map((kind) =>
        super.sort(ofKind(kind)),
      ),
    );
    const [
      boot = [],
      neo4j = [],
      alone = [],
      pure = [],
      isolated = [],
      tidy = [],
      cluster = [],
      browser = [],
      site = [],
    ] = sorted;
    boot.sort((one, other) => placeOf(one) - placeOf(other));
    alone.sort((one, other) => Number(isFirst(one)) - Number(isFirst(other)));
    const paired = neo4j.flatMap((file, index) => [...boot.slice(index, index + 1), file]);
    return [pure, isolated, tidy, paired, boot.slice(neo4j.length), browser, cluster, site, alone.reverse()].flat();
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // One more than processors, since tests that boot or kill backends mostly wait. Further workers
    // would only wait for the shared database.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'pure',
          sequence: then,
          include: ['{libs,services,deploy,helm,loadtest}/**/*.test.ts'],
          exclude: [...everywhere, ...KINDS.map((kind) => `**/*.${kind}.test.ts`), '**/tidy.test.ts'],
          ...quick,
          // Isolated files would load the same modules a hundred times, which takes as long as the
          // tests.
          isolate: false,
          // Concurrent tests only wait for limits.
          maxConcurrency: 16,
        },
      },
      {
        resolve,
        ssr,
        plugins: [faults()],
        test: {
          name: 'isolated',
          include: ['**/*.isolated.test.ts'],
          exclude: everywhere,
          ...quick,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'tidy',
          sequence: then,
          include: ['**/tidy.test.ts'],
          exclude: everywhere,
          ...quick,
        },
      },
      {
        resolve,
        ssr,
        plugins: [faults()],
        test: {
          name: 'neo4j',
          sequence: then,
          include: ['**/*.neo4j.test.ts'],
          exclude: everywhere,
          globalSetup: [backends],
          ...patient,
          // As above. Each file has its own users, and removes its fakes.
          isolate: false,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'cluster',
          sequence: then,
          include: ['**/*.cluster.test.ts'],
          exclude: everywhere,
          globalSetup: [backends, stack],
          ...patient,
          setupFiles: [users, clients],
          // As above.
          isolate: false,
        },
      },
      {
        resolve,
        ssr,
        // A browser takes a processor, and a page that gets none would only wait.
        test: {
          name: 'browser',
          sequence: then,
          include: ['**/*.browser.test.ts'],
          exclude: everywhere,
          globalSetup: [backends, stack],
          ...patient,
          setupFiles: [users, clients],
          // As above.
          isolate: false,
        },
      },
      {
        resolve,
        ssr,
        // `npm run test:site` builds the site before. `npm test` does not run it.
        test: {
          name: 'site',
          include: ['**/*.site.test.ts'],
          exclude: everywhere,
          ...patient,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'boot',
          sequence: then,
          include: ['**/*.boot.test.ts'],
          exclude: everywhere,
          // A database that lives for a minute is faster without the JVM's optimizing compiler.
          env: { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m' },
          ...patient,
          setupFiles: [users, clients],
          // As above.
          isolate: false,
        },
      },
      {
        resolve,
        ssr,
        // One file after the other, before all others, so that inspections of the whole database
        // are short.
        test: {
          name: 'alone',
          sequence: first,
          include: ['**/*.alone.test.ts'],
          exclude: everywhere,
          globalSetup: [backends],
          fileParallelism: false,
          ...patient,
          setupFiles: [users, clients],
          // As above.
          isolate: false,
        },
      },
    ],
  },
});
