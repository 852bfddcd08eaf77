/** graph:get: a page of the active graph that the caller sees, all nodes before all links, each by id. Rules: EVT3. */
import { text } from '@taskgraph/wire/fields';
import { z } from 'zod';
import { defineRead } from '../define-command.ts';

export const graphGet = defineRead({
  event: 'graph:get',
  rest: { method: 'GET', path: '/api/graph' },
  summary: 'Reads a page of the graph that the caller can see.',
  resource: 'node',
  payload: z.strictObject({
    limit: z.int().min(1).max(5000).default(1000),
    offset: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
    /** The `next` of the page before; a walk by it misses nothing while others write. */
    after: text(200).optional(),
  }),
});
