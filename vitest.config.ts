// One vitest project per backend that a test needs; the file's suffix chooses it (CONTRIBUTING.md, "Tests").

import { faults } from '@taskgraph/testkit/faults';
import { defineConfig } from 'vitest/config';

const resolve = { conditions: ['taskgraph-source'] };
const ssr = { resolve };
const backed = ['**/*.neo4j.test.ts', '**/*.cluster.test.ts', '**/tidy.test.ts'];
const everywhere = ['**/node_modules/**', '**/dist/**', '**/.data/**', '**/.cache/**'];

export default defineConfig({
  test: {
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'pure',
          include: ['{libs,services,deploy,helm,loadtest}/**/*.test.ts'],
          exclude: [...everywhere, ...backed],
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
          globalSetup: 'libs/testkit/src/stack/backends.setup.ts',
          exclude: everywhere,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'cluster',
          include: ['**/*.cluster.test.ts'],
          exclude: everywhere,
          // A database of a minute's life gets on faster without the compiler that takes long to make code best.
          env: { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1' },
          testTimeout: 240_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
