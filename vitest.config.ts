// One vitest project per backend that a test needs; the file's suffix chooses it (CONTRIBUTING.md, "Tests").

import { availableParallelism } from 'node:os';
import { faults } from '@taskgraph/testkit/faults';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const resolve = { conditions: ['taskgraph-source'] };
const ssr = { resolve };
const KINDS = ['boot', 'neo4j', 'cluster', 'alone'] as const;
const everywhere = ['**/node_modules/**', '**/dist/**', '**/.data/**', '**/.cache/**'];
const backends = 'libs/testkit/src/stack/backends.setup.ts';
const stack = 'libs/testkit/src/stack/stack.setup.ts';
/** How many times as long random tests run, and may run: `npm run test:nightly` sets it. */
const scale = Math.max(1, Number(process.env.RUNS_SCALE ?? 1));
const patient = { testTimeout: 60_000 * scale, hookTimeout: 180_000 };

/** The longest files begin first, and those that boot backends run beside those that have them. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ofKind = (kind: string) => files.filter(({ project }) => project.name === kind);
    const sorted = await Promise.all(
      ['boot', 'neo4j', 'cluster', 'pure', 'tidy', 'alone'].map((kind) => super.sort(ofKind(kind))),
    );
    const [boot = [], neo4j = [], ...others] = sorted;
    const paired = neo4j.flatMap((file, index) => [...boot.slice(index, index + 1), file]);
    return [...paired, ...boot.slice(neo4j.length), ...others.flat()];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // More would only wait for the one database: on two processors three took as long as two.
    maxWorkers: Math.min(4, Math.max(2, availableParallelism())),
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'pure',
          include: ['{libs,services,deploy,helm,loadtest}/**/*.test.ts'],
          exclude: [...everywhere, ...KINDS.map((kind) => `**/*.${kind}.test.ts`), '**/tidy.test.ts'],
          testTimeout: 20_000 * scale,
        },
      },
      { resolve, ssr, test: { name: 'tidy', include: ['**/tidy.test.ts'], exclude: everywhere } },
      {
        resolve,
        ssr,
        plugins: [faults()],
        test: {
          name: 'neo4j',
          include: ['**/*.neo4j.test.ts'],
          exclude: everywhere,
          globalSetup: [backends],
          ...patient,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'cluster',
          include: ['**/*.cluster.test.ts'],
          exclude: everywhere,
          globalSetup: [backends, stack],
          ...patient,
          testTimeout: 240_000,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'boot',
          include: ['**/*.boot.test.ts'],
          exclude: everywhere,
          // A database of a minute's life gets on faster without the compiler that takes long to make code best.
          env: { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1' },
          ...patient,
          testTimeout: 240_000,
        },
      },
      {
        resolve,
        ssr,
        // One after the other, when all others are done.
        test: {
          name: 'alone',
          include: ['**/*.alone.test.ts'],
          exclude: everywhere,
          globalSetup: [backends],
          fileParallelism: false,
          ...patient,
          testTimeout: 240_000,
        },
      },
    ],
  },
});
