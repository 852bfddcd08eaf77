// Asks the services of a running stack at their admin ports.
import type { RunningStack } from './stack.ts';

/** Asks a service, such as `worker-1`, at its admin port. */
export async function askAdmin(
  stack: RunningStack,
  service: string,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`http://127.0.0.1:${stack.adminPort(service)}${path}`);
  return { status: response.status, text: await response.text() };
}

/** The status of `/readyz`, with what it says. */
export async function readiness(stack: RunningStack, service: string): Promise<object> {
  const { status, text } = await askAdmin(stack, service, '/readyz');
  return { status, ...JSON.parse(text) };
}
