// One vitest project per backend that a test needs; the file's suffix chooses it (CONTRIBUTING.md, "Tests").

import { availableParallelism } from 'node:os';
import { faults } from '@taskgraph/testkit/faults';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const resolve = { conditions: ['taskgraph-source'] };
const ssr = { resolve };
/** Groups of projects run one after the other, and those of a group beside each other. Vitest takes 0 for no order at all. */
const [first, then] = [{ groupOrder: 1 }, { groupOrder: 2 }];
const KINDS = ['boot', 'neo4j', 'cluster', 'alone', 'isolated'] as const;
const everywhere = ['**/node_modules/**', '**/dist/**', '**/.data/**', '**/.cache/**'];
const backends = 'libs/testkit/src/stack/backends.setup.ts';
const stack = 'libs/testkit/src/stack/stack.setup.ts';
/** Holds all that gateways answer and push against its declaration. */
const clients = 'libs/testkit/src/contract/clients.setup.ts';
const users = 'libs/testkit/src/stack/users.setup.ts';
/** How many times as long random tests run, and may run: `npm run test:nightly` sets it. */
const scale = Math.max(1, Number(process.env.RUNS_SCALE ?? 1));
/** Tests of real backends end when they are done: the limit is for those that hang, and a busy machine takes three times as long as a quiet one. */
const patient = { testTimeout: 240_000 * scale, hookTimeout: 300_000 };

/** Those without backends take moments. Their limit is for those that hang, too. */
const quick = { testTimeout: 120_000 * scale };

/** A new clone knows sizes of files alone, and these take minutes: what begins with one of them last ends with one processor idle. */
const LONGEST = ['recovery.boot', 'failover.boot', 'encryption.boot'];
const placeOf = ({ moduleId }: TestSpecification) => {
  const place = LONGEST.findIndex((name) => moduleId.includes(name));
  return place < 0 ? LONGEST.length : place;
};

/** Its administrator is the first one of the database, and it walks over all users by pages of two. */
const FIRST_ALONE = 'accounts/signing-up.alone';
const isFirst = ({ moduleId }: TestSpecification) => moduleId.includes(FIRST_ALONE);

/**
 * The longest files begin first, and those that boot backends run beside those that have them, after what takes a moment each. Of those that
 * run alone the longest wait most, and those that time are done before anything boots beside them.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ofKind = (kind: string) => files.filter(({ project }) => project.name === kind);
    const sorted = await Promise.all(
      ['boot', 'neo4j', 'alone', 'pure', 'isolated', 'tidy', 'cluster'].map((kind) => super.sort(ofKind(kind))),
    );
    const [boot = [], neo4j = [], alone = [], pure = [], isolated = [], tidy = [], cluster = []] = sorted;
    boot.sort((one, other) => placeOf(one) - placeOf(other));
    alone.sort((one, other) => Number(isFirst(one)) - Number(isFirst(other)));
    const paired = neo4j.flatMap((file, index) => [...boot.slice(index, index + 1), file]);
    return [pure, isolated, tidy, paired, boot.slice(neo4j.length), cluster, alone.reverse()].flat();
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // One more than processors, since who boots or kills something waits most of the time. More would only wait for the one database.
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
          // Each file anew would load the same modules a hundred times, which takes as long as the tests.
          isolate: false,
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
          // As above; each file has users of its own, and what one fakes it takes back.
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
        test: {
          name: 'boot',
          sequence: then,
          include: ['**/*.boot.test.ts'],
          exclude: everywhere,
          // A database of a minute's life gets on faster without the compiler that takes long to make code best.
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
        // One after the other, before all others: those that look at all there is find little.
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
