/** trash:page: what the caller may restore, nodes and links mixed, newest first. Rules: TRS2, EVT3. */
import { z } from 'zod';
import { defineRead } from '../define-command.ts';

export const trashPage = defineRead({
  event: 'trash:page',
  rest: { method: 'GET', path: '/api/trash' },
  summary: 'Reads a page of the trash.',
  resource: 'node',
  payload: z.strictObject({
    limit: z.int().min(1).max(1000).default(100),
    offset: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  }),
});
