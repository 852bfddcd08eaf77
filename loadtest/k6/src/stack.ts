// The stacks of the load tests: two gateways with limits on, in a temporary folder, on loopback.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortRange } from '@taskgraph/launcher/processes/ports';
import { type Stack, startStack } from '@taskgraph/launcher/stack';

const GATEWAYS = 2;

/** Starts a stack, runs the function with it, and stops the stack in any case. */
export async function withStack<T>(
  environment: Readonly<Record<string, string>>,
  use: (stack: Stack) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-loadtest-'));
  try {
    const port = await freePortRange(GATEWAYS);
    const stack = await startStack({
      dataDir,
      port,
      workers: 2,
      gateways: GATEWAYS,
      // The load comes from many addresses, as behind a proxy.
      environment: { TASKGRAPH_LIMITS: 'on', TRUSTED_PROXIES: '127.0.0.1', ...environment },
    });
    try {
      return await use(stack);
    } finally {
      await stack.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
