// The sample plan of the demo user, so that the console has something to show at the first start.
// One batch, which the demo user can undo as one.
import { LauncherError } from './errors.ts';

const TIMEOUT_MS = 60_000;

interface SampleTask {
  readonly title: string;
  /** Relative effort. */
  readonly volume: number;
  /** The name of a task that waits for this one. */
  readonly before?: string;
  readonly status?: number;
  readonly tags?: readonly string[];
}

const [IN_PROGRESS, COMPLETED] = [1, 3];

/** By name. A task comes after the one that waits for it. */
const TASKS: Readonly<Record<string, SampleTask>> = {
  open: { title: 'Open the online shop (a sample plan)', volume: 1 },
  check: { title: 'Place a test order', volume: 1, before: 'open' },
  pages: { title: 'Build the product pages', volume: 5, before: 'check', tags: ['web'] },
  payment: { title: 'Connect the payment provider', volume: 3, before: 'check', tags: ['web'] },
  texts: { title: 'Write the product texts', volume: 3, before: 'pages', status: IN_PROGRESS, tags: ['content'] },
  photos: { title: 'Photograph the products', volume: 2, before: 'pages', tags: ['content'] },
  account: { title: 'Open a merchant account', volume: 2, before: 'payment' },
  terms: { title: 'Write the terms of sale', volume: 2, before: 'open', tags: ['content'] },
  domain: { title: 'Register the domain', volume: 1, before: 'pages', status: COMPLETED, tags: ['web'] },
};

/** Adds the plan to an empty graph, through the public API. Throws if the service refuses it. */
export async function addSamplePlan(url: string, token: string): Promise<void> {
  const { nodes } = (await call(`${url}/api/graph?limit=1`, { headers: { Authorization: `Bearer ${token}` } })) as {
    nodes: unknown[];
  };
  if (nodes.length > 0) return;
  const operations = Object.entries(TASKS).map(([name, { before, ...fields }]) => ({
    event: 'node:add',
    payload: before === undefined ? fields : { ...fields, target: `$${before}` },
    as: name,
  }));
  await call(`${url}/api/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ operations }),
  });
}

async function call(url: string, request: RequestInit): Promise<unknown> {
  const response = await fetch(url, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await response.text();
  if (!response.ok) throw new LauncherError('could not add the sample plan', 'The answer:', [text]);
  return JSON.parse(text);
}
