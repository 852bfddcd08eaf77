// The graphs of two users with one entity of each stored form, and everything that can be read of
// them, for tests that copy whole databases.
import { type RestClient, rest } from '@taskgraph/client';
import { expect } from 'vitest';
import { runAdmin } from '../../stack/admin.ts';

/** The address of a stack. */
export interface GraphTarget {
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
}

const PATIENCE_MS = 120_000;

/**
 * Clients with long limits for a newly started stack on a busy machine, whose first commands take
 * longer.
 */
export function clientsOf({ url }: GraphTarget, tokens: readonly string[]): RestClient[] {
  return tokens.map((token) => {
    const client = rest({ url, token });
    return {
      ...client,
      request: (method, path, options) => client.request(method, path, { timeoutMs: PATIENCE_MS, ...options }),
    };
  });
}

/** One entity of each stored form. */
export async function fill(ann: RestClient, bob: RestClient): Promise<void> {
  const root = await add(ann, { title: 'root “x” 🌱', tags: ['one', 'two'], dueDate: '2030-01-01T00:00:00Z' });
  const children = [];
  for (let index = 0; index < 30; index++) children.push(await add(ann, { target: root, title: `child ${index}` }));
  const [done = '', trashed = '', gone = '', moved = ''] = children;
  await ann.request('PUT', '/api/node', { body: { id: done, status: 3 } });
  await ann.request('PUT', '/api/node', { body: { id: moved, x: 3, y: 0.1, z: -7.25 } });
  await ann.request('POST', '/api/node/access', { body: { id: root, email: 'bob@example.com', level: 2 } });
  await ann.request('POST', '/api/node/access', { body: { id: root, email: 'nobody.yet@example.com', level: 3 } });
  await ann.request('POST', '/api/node/public', { body: { id: root } });
  await ann.request('POST', '/api/node/trash', { body: { id: trashed } });
  await ann.request('POST', '/api/node/trash', { body: { id: gone } });
  await ann.request('DELETE', '/api/node', { body: { id: gone } });
  const own = await add(bob, { title: 'of bob' });
  await bob.request('POST', '/api/link', { body: { source: own, target: root, type: 1 } });
  await bob.request('PUT', '/api/node', { body: { id: moved, title: 'renamed by bob' } });
}

async function add(client: RestClient, body: object): Promise<string> {
  const { diff } = await client.request<{ diff: { nodes: { op: number; after: { id: string } }[] } }>(
    'POST',
    '/api/node',
    { body },
  );
  return diff.nodes.find(({ op }) => op === 0)?.after.id ?? '';
}

/** Creates a node, once for all databases with the same history. */
export async function addByKey(client: RestClient): Promise<unknown> {
  const { diff } = await client.request('POST', '/api/node', { body: { title: 'once' }, idempotencyKey: 'before' });
  return diff;
}

/** Undoes the last change of `fill` through its history. */
export async function undoRenaming(bob: RestClient): Promise<void> {
  const history = await bob.request<{ batches: { batchId: string; ops: { forwardPatch: object }[] }[] }>(
    'GET',
    '/api/history',
  );
  const renaming = history.batches.find(({ ops }) => JSON.stringify(ops).includes('renamed by bob'));
  await bob.request('POST', '/api/history/undo', { body: { batchId: renaming?.batchId ?? '' } });
}

const READS = ['/api/graph', '/api/trash', '/api/history', '/api/me'];
const READING_TRIES = 20;

/**
 * Runs each read once: the first of a kind must be planned, which on a busy machine exceeds a
 * statement's limit.
 */
async function rehearse(client: RestClient): Promise<void> {
  for (const path of READS) {
    for (let attempt = 1; ; attempt++) {
      const failure = await client.request('GET', path).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure === null) break;
      if (attempt === READING_TRIES) throw failure;
    }
  }
}

/**
 * Everything that these users can read. Answers differ only in their trace ids and in positions,
 * which are signed with a secret.
 */
export async function readAll(clients: readonly RestClient[]): Promise<unknown> {
  await rehearse(clients[0] as RestClient);
  const answers = clients.flatMap((client) => READS.map((path) => client.request('GET', path)));
  return (await Promise.all(answers)).map(({ trace_id: _trace, position: _position, ...answer }) => answer);
}

/** The output of `npm run checksums`: a line for each user. */
export async function checksumsOf(stack: GraphTarget, users: number): Promise<string> {
  const { code, output } = await runAdmin(stack, 'checksums', []);
  expect(code).toBe(0);
  expect(output.trim().split('\n')).toHaveLength(users);
  return output;
}
