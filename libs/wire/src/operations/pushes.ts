// The pushes: each event that the service sends over a socket by itself, with its payload, closed. Rules: EVT1, EVT2, PUB4, PUB5, LIM2, LIM4.
import { z } from 'zod';
import { id, time } from '../entities.ts';
import { diffFields, ids, refusalFields, shownCut } from './answers.ts';

const feed = z.string().describe('`user:<id>`, `root:<node>` or `node:<node>`.');
const seq = z.int().min(1).describe('Counts up by one within a feed.');
const numbers = z.record(z.string(), z.int().min(0));

const marks = {
  joined: ids.optional().describe('The ids that came to the feed without an entry that says so.'),
  left: ids.optional().describe('The ids that left the feed without an entry that says so.'),
  reset: z.literal(true).optional().describe('Too much joined or left to be named: ask `changes:get`.'),
};

/** A slice as users get it, and as it reaches readers without an account. */
const slice = z
  .strictObject({ feed, seq, ...diffFields, skipped: z.array(id).optional(), ...marks })
  .meta({ id: 'Slice', description: 'The part of a batch that concerns a feed.' });
const { nodes, links } = diffFields;
const publicSlice = z
  .strictObject({ feed, seq, batchId: id, ts: time, nodes, links, ...marks })
  .meta({ id: 'PublicSlice', description: 'A slice as readers without an account get it.' });
const longSlice = z
  .strictObject({ feed, seq, truncated: z.literal(true) })
  .meta({ id: 'LongSlice', description: 'A slice that is too long for one message: ask `changes:get`.' });

const refused = z.strictObject(refusalFields);

/** A push: one sentence on when it comes, and its payload. */
export const PUSHES = {
  connected: {
    summary: 'The socket was let in, and hears its feeds from now on.',
    payload: z
      .strictObject({
        ok: z.literal(true),
        uid: id.nullable().describe('The user; null without an account.'),
        client: z.enum(['api', 'web', 'public']).describe('By a token, by a browser’s cookie, or by a public token.'),
        serverTime: time,
        feeds: numbers.describe("The number that each of the reader's feeds has reached."),
        position: z.string().nullable().describe('Where to ask `changes:get` from; null without an account.'),
        truncated: shownCut,
      })
      .meta({ id: 'Connected' }),
  },
  'graph:diff': {
    summary: 'Something changed in a feed that the socket reads, by its own calls included.',
    payload: z.union([slice, publicSlice, longSlice]).meta({ id: 'GraphDiff' }),
  },
  'access:changed': {
    summary: "The reader's own access changed.",
    payload: z
      .strictObject({
        feed,
        change: z.enum(['gained', 'lost', 'level']),
        level: z
          .int()
          .min(0)
          .max(3)
          .nullable()
          .describe('The level through this feed after the change; null where it was lost.'),
        seq: z.int().min(1).describe('The number of the slice in the `user:` feed that it belongs to.'),
      })
      .meta({ id: 'AccessChanged' }),
  },
  'feeds:heads': {
    summary: 'How far feeds are, about every ten seconds where they moved, so that a lost last push is noticed.',
    payload: z.strictObject({ feeds: numbers }).meta({ id: 'FeedsHeads' }),
  },
  unpublished: {
    summary: 'The public token of this socket opens nothing any more; the socket is closed.',
    payload: z.strictObject({ feed }).meta({ id: 'Unpublished' }),
  },
  rate_limited: {
    summary: 'A call was past a limit; it comes besides the ack, and not for `graph:get`.',
    payload: z.strictObject({ ...refusalFields, event: z.string() }).meta({ id: 'RateLimited' }),
  },
  request_error: {
    summary: 'A call came without an ack callback; it was not done.',
    payload: z.strictObject({ ...refusalFields, event: z.string() }).meta({ id: 'RequestError' }),
  },
  closing: {
    summary: 'The service closes the socket for how it behaves.',
    payload: refused.meta({ id: 'Closing' }),
  },
} as const;

export type PushName = keyof typeof PUSHES;
export type Push<N extends PushName> = z.output<(typeof PUSHES)[N]['payload']>;

/** The pushes of a change of content, of one that moves readers, and of one that may also end a public token. */
export const CONTENT_PUSHES = ['graph:diff'] as const satisfies readonly PushName[];
export const READERS_PUSHES = [
  ...CONTENT_PUSHES,
  'access:changed',
  'feeds:heads',
] as const satisfies readonly PushName[];
export const TOKEN_PUSHES = [...READERS_PUSHES, 'unpublished'] as const satisfies readonly PushName[];

/** The `data` of Socket.IO's `connect_error`, whose `message` is the code. */
export const connectError = refused.meta({ id: 'ConnectError', description: 'A connection was refused.' });
