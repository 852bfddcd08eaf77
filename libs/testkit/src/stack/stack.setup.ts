// Starts one stack for all `*.cluster.test.ts` and `*.browser.test.ts` with the same settings.
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startTestStack } from './stack.ts';

/** Vitest calls this file for each project; the first call starts the stack for all of them. */
const VARIABLE = 'TASKGRAPH_TEST_STACK';

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const started = process.env[VARIABLE];
  if (started !== undefined) {
    project.provide('stack', JSON.parse(started) as ProvidedContext['stack']);
    return undefined;
  }
  const stack = await startTestStack({
    workers: 2,
    gateways: 2,
    // Gateways also detect lost messages by polling. The long interval keeps polling out of tests
    // that wait for a message.
    environment: { COMMAND_DEADLINE_MS: '60000', HEADS_INTERVAL_MS: '600000' },
  });
  const { urls, environment, logFolder } = stack;
  project.provide('stack', { urls, environment, logFolder });
  process.env[VARIABLE] = JSON.stringify({ urls, environment, logFolder });
  return async () => {
    delete process.env[VARIABLE];
    await stack.stop();
  };
}
