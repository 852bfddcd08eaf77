/** changes:get: the present state of all that changed for the caller since a position. Rules: EVT2. */
import { text } from '@taskgraph/wire/fields';
import { z } from 'zod';
import { defineRead } from '../define-command.ts';

/** A position names each feed of its reader; with the cursor beside it, it must fit into a body. */
const POSITION_LENGTH = 160_000;
const CURSOR_LENGTH = 90_000;
/** More than any feed's name has. */
const FEED_LENGTH = 100;
/** Feeds of which something came since the position; with the position and the cursor beside it, they must fit into a body. */
const MAXIMUM_HEARD = 200;

/** Counted before the first of them is looked at. */
const heard = z
  .transform((value: unknown, context) => {
    if (typeof value !== 'object' || value === null || Object.keys(value).length <= MAXIMUM_HEARD) return value;
    context.addIssue({ code: 'custom', message: `must name at most ${MAXIMUM_HEARD} feeds` });
    return z.NEVER;
  })
  .pipe(z.record(text(FEED_LENGTH, 1), z.int().min(0)));

export const changesGet = defineRead({
  event: 'changes:get',
  // The position of a reader of many feeds is too long for a query string.
  rest: { method: 'GET', path: '/api/changes', alsoPost: true },
  summary: 'Reads what changed for the caller since a position.',
  resource: 'node',
  payload: z.strictObject({
    /** The `position` of an earlier answer. */
    since: text(POSITION_LENGTH, 1),
    /** Numbers of feeds up to which the caller lacks nothing: the answer begins after them where they are later than the position. */
    heard: heard.optional(),
    /** The `next` of the page before; `since` and `heard` stay the same. */
    cursor: text(CURSOR_LENGTH, 1).optional(),
  }),
});
