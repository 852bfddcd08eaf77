/** changes:get: the present state of all that changed for the caller since a position. Rules: EVT2. */
import { text } from '@taskgraph/wire/fields';
import { z } from 'zod';
import { defineRead } from '../define-command.ts';

/** A position names each feed of its reader; with the cursor beside it, it must fit into a body. */
const POSITION_LENGTH = 160_000;
const CURSOR_LENGTH = 90_000;

export const changesGet = defineRead({
  event: 'changes:get',
  // The position of a reader of many feeds is too long for a query string.
  rest: { method: 'GET', path: '/api/changes', alsoPost: true },
  summary: 'Reads what changed for the caller since a position.',
  resource: 'node',
  payload: z.strictObject({
    /** The `position` of an earlier answer. */
    since: text(POSITION_LENGTH, 1),
    /** The `next` of the page before; `since` stays the same. */
    cursor: text(CURSOR_LENGTH, 1).optional(),
  }),
});
