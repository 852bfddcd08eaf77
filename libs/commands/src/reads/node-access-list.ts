/** node:access:list: the grants on a node, all of them to its admins, to others their own alone. Rules: ACL9, GEN7, GEN11. */
import { text } from '@taskgraph/wire/fields';
import { anyId } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { defineRead } from '../define-command.ts';

export const nodeAccessList = defineRead({
  event: 'node:access:list',
  rest: { method: 'GET', path: '/api/node/access' },
  summary: 'Lists the grants on a node.',
  resource: 'node',
  /** `after`: the `next` of the page before, an e-mail. */
  payload: z.strictObject({ id: anyId, after: text(320).optional() }),
});
