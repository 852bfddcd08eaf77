// Starts one stack for all `*.cluster.test.ts` with the same settings.
import type { TestProject } from 'vitest/node';
import { startTestStack } from './stack.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startTestStack({
    workers: 2,
    gateways: 2,
    // Gateways also detect lost messages by polling. The long interval keeps polling out of tests
    // that wait for a message.
    environment: { COMMAND_DEADLINE_MS: '60000', HEADS_INTERVAL_MS: '600000' },
  });
  const { urls, environment, logFolder } = stack;
  project.provide('stack', { urls, environment, logFolder });
  return stack.stop;
}
