/** history:page: the batches of a scope, newest first, with the operations that the caller may see. Rules: HIS1, HIS7, HIS8. */
import { text } from '@taskgraph/wire/fields';
import { anyId } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { defineRead } from '../define-command.ts';

/** Which types there are is judged with the scope, since all that is wrong with it is one refusal. */
const scopeType = text(100);

const page = {
  limit: z.int().min(1).max(1000).default(100),
  offset: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
} as const;

export const historyPage = defineRead({
  event: 'history:page',
  rest: { method: 'GET', path: '/api/history' },
  summary: 'Reads a page of the history.',
  resource: 'node',
  payload: z.strictObject({ scopeType: scopeType.optional(), scopeId: anyId.optional(), ...page }),
  /** Over sockets the scope must be named. */
  socketPayload: z.strictObject({ scopeType, scopeId: anyId, ...page }),
});
