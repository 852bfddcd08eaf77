// Calls that prepare or disturb a measurement. They are not measured, and retry with one
// idempotency key until they succeed, because a new stack is slow.

import { rest } from '@taskgraph/client';
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { BenchStack } from './bench-stack.ts';

const ANSWER_LIMIT_MS = 120_000;

interface ChangeAnswer {
  readonly diff: Readonly<Record<'nodes' | 'links', { after: { id: string } }[]>>;
}

/** The calls of one user over REST; the ones that create an entity return its id. */
export function setupClient({ urls }: BenchStack, token: string) {
  const client = rest({ url: urls[0] as string, token });
  const post = (path: string, body: object) =>
    client.request<ChangeAnswer>('POST', path, { body, timeoutMs: ANSWER_LIMIT_MS });
  return {
    async addNode(title: string, target?: string): Promise<string> {
      const { diff } = await post('/api/node', { title, ...definedFields({ target }) });
      return diff.nodes[0]?.after.id as string;
    },
    async addLink(source: string, target: string): Promise<string> {
      const { diff } = await post('/api/link', { source, target });
      return diff.links[0]?.after.id as string;
    },
    async trashLink(id: string): Promise<void> {
      await post('/api/link/trash', { id });
    },
    async restoreLink(id: string): Promise<void> {
      await post('/api/link/restore', { id });
    },
    async share(id: string, email: string): Promise<void> {
      await post('/api/node/access', { id, email, level: 3, branch: true });
    },
  };
}
