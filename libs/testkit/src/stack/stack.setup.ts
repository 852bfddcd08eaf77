// Starts one stack for all `*.cluster.test.ts` that can do with the same settings.
import type { TestProject } from 'vitest/node';
import { startTestStack } from './stack.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startTestStack({
    workers: 2,
    gateways: 2,
    // Gateways find out by themselves what they were not told of, but not while a test waits to be told. A busy machine may take its time.
    environment: { COMMAND_DEADLINE_MS: '60000', HEADS_INTERVAL_MS: '600000' },
  });
  const { urls, environment, logFolder } = stack;
  project.provide('stack', { urls, environment, logFolder });
  return stack.stop;
}
