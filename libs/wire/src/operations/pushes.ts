// The pushes: the events that the service sends over sockets without a call, with their closed
// payloads. Rules: EVT1, EVT2, PUB4, PUB5, LIM2, LIM4.
import { z } from 'zod';
import { id, time } from '../entities.ts';
import { diffFields, grantsTruncated, ids, refusalFields } from './answers.ts';

const feed = z.string().describe('`user:<id>`, `root:<node>` or `node:<node>`.');
const seq = z.int().min(1).describe('Grows by one with each slice of the feed.');
const numbers = z.record(z.string(), z.int().min(0));

const marks = {
  joined: ids.optional().describe('Ids that entered the feed without an entry.'),
  left: ids.optional().describe('Ids that left the feed without an entry.'),
  reset: z.literal(true).optional().describe('Too many ids entered or left the feed to be listed: call `changes:get`.'),
};

/** A slice in its form for users, and in its form for readers without an account. */
const slice = z
  .strictObject({ feed, seq, ...diffFields, skipped: z.array(id).optional(), ...marks })
  .meta({ id: 'Slice', description: 'The part of a batch that belongs to a feed.' });
const { nodes, links } = diffFields;
const publicSlice = z
  .strictObject({ feed, seq, batchId: id, ts: time, nodes, links, ...marks })
  .meta({ id: 'PublicSlice', description: 'A slice for readers without an account.' });
const longSlice = z
  .strictObject({ feed, seq, truncated: z.literal(true) })
  .meta({ id: 'LongSlice', description: 'A slice that is too long for one message: call `changes:get`.' });

const refused = z.strictObject(refusalFields);

/** Each push has a sentence about its occasion, and its payload. */
export const PUSHES = {
  connected: {
    summary: 'The socket is connected and receives its feeds from now on.',
    payload: z
      .strictObject({
        ok: z.literal(true),
        uid: id.nullable().describe('The user; null without an account.'),
        username: z.string().optional().describe("The user's name; missing without an account."),
        client: z
          .enum(['api', 'web', 'public'])
          .describe('Identified by a token, by a browser’s cookie, or by a public token.'),
        serverTime: time,
        feeds: numbers.describe("The heads of the reader's feeds."),
        position: z
          .string()
          .nullable()
          .describe('The position from which `changes:get` continues; null without an account.'),
        truncated: grantsTruncated,
      })
      .meta({ id: 'Connected' }),
  },
  'graph:diff': {
    summary: 'A feed of the socket changed, perhaps by its own call.',
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
          .describe('The level through this feed after the change; null if it is lost.'),
        seq: z.int().min(1).describe('The number of its slice in the `user:` feed.'),
      })
      .meta({ id: 'AccessChanged' }),
  },
  'feeds:heads': {
    summary:
      'The heads of feeds that changed, about every ten seconds, so that clients notice the loss of a last push.',
    payload: z.strictObject({ feeds: numbers }).meta({ id: 'FeedsHeads' }),
  },
  unpublished: {
    summary: 'The public token of this socket is no longer valid; the service closes the socket.',
    payload: z.strictObject({ feed }).meta({ id: 'Unpublished' }),
  },
  rate_limited: {
    summary: 'A call exceeded a limit. The push comes in addition to the ack, and not for `graph:get`.',
    payload: z.strictObject({ ...refusalFields, event: z.string() }).meta({ id: 'RateLimited' }),
  },
  request_error: {
    summary: 'A call came without an ack callback. The service did not execute it.',
    payload: z.strictObject({ ...refusalFields, event: z.string() }).meta({ id: 'RequestError' }),
  },
  closing: {
    summary: 'The service closes the socket because of its behaviour.',
    payload: refused.meta({ id: 'Closing' }),
  },
} as const;

export type PushName = keyof typeof PUSHES;
export type Push<N extends PushName> = z.output<(typeof PUSHES)[N]['payload']>;

/**
 * The pushes of commands that change content, of those that also change readers, and of those that
 * may also end a public token.
 */
export const CONTENT_PUSHES = ['graph:diff'] as const satisfies readonly PushName[];
export const READERS_PUSHES = [
  ...CONTENT_PUSHES,
  'access:changed',
  'feeds:heads',
] as const satisfies readonly PushName[];
export const TOKEN_PUSHES = [...READERS_PUSHES, 'unpublished'] as const satisfies readonly PushName[];

/** The `data` of Socket.IO's `connect_error`, whose `message` is the code. */
export const connectError = refused.meta({ id: 'ConnectError', description: 'The service refused the connection.' });
