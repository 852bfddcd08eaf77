// Requests to the admin ports of a running stack's services.
import type { RunningStack } from './stack.ts';

/** Sends a request to the admin port of a service such as `worker-1`. */
export async function askAdmin(
  stack: RunningStack,
  service: string,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`http://127.0.0.1:${stack.adminPort(service)}${path}`);
  return { status: response.status, text: await response.text() };
}

/** The status and the body of `/readyz`. */
export async function readiness(stack: RunningStack, service: string): Promise<object> {
  const { status, text } = await askAdmin(stack, service, '/readyz');
  return { status, ...JSON.parse(text) };
}
