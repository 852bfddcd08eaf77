// Messages between gateways and workers. They are checked on arrival there too: the bus is not trusted with shapes.
//
// Unknown fields are overlooked, since during an upgrade two releases in a row speak to each other: what is added must be optional, and
// harmless to whoever does not know it. The payloads of clients are judged by schemas of their own, which are closed.
import { z } from 'zod';
import type { ErrorCode } from './error-codes.ts';
import { idempotencyKey, timestamp } from './fields.ts';
import { anyId } from './ids.ts';

/** The actor: the user behind a token. */
export const actingUser = z.object({ id: anyId, username: z.string(), email: z.string() });
export type ActingUser = z.infer<typeof actingUser>;

/** A mutation on its way to the worker of its partition. */
export const commandMessage = z.object({
  /** Made once by the gateway and kept over retries: the batch is stored under it, so that a retry can't do it twice. */
  id: anyId,
  event: z.string(),
  payload: z.record(z.string(), z.unknown()),
  actor: actingUser,
  /** The client's Idempotency-Key, if it gave one (GEN8). */
  key: idempotencyKey.nullable(),
  /** Milliseconds since 1970; past it a worker drops the command. */
  deadline: z.int(),
  /** When this try was sent, by the clock of `deadline`: what lies between them counts also where the worker's clock is wrong. */
  sentAt: z.int().optional(),
  /** The time that this clock showed when the sender's monotonic one showed 0: it moves where the clock is set. */
  clockZero: z.int().optional(),
  /** The token that a worker gave in its answer to an earlier try; null where none did. It shows that this try was sent after that answer. */
  token: z.string().max(100).nullable().optional(),
  traceId: z.string(),
});
export type CommandMessage = z.infer<typeof commandMessage>;

/** A read; any worker may answer it. */
export const readMessage = z.object({
  event: z.string(),
  payload: z.record(z.string(), z.unknown()),
  actor: actingUser.nullable(),
  deadline: z.int(),
  /** As in a command. */
  sentAt: z.int().optional(),
  clockZero: z.int().optional(),
  traceId: z.string(),
  /** Of account operations alone: that a gateway asks, which has TASKGRAPH_SECRET, and not somebody who just got onto the bus. */
  proof: z.string().max(200).optional(),
  /** Most bytes of a page where the caller's connection bears less than workers give (GEN11). */
  pageBytes: z.int().min(1).optional(),
  /** The etags of pages that the caller has: where one of them still stands, the answer is empty. */
  etags: z.array(z.string().max(64)).max(8).optional(),
});
export type ReadMessage = z.infer<typeof readMessage>;

/** How much was done for a call, as a number of changes, where that is more than one call's worth: the gateway counts it (LIM6). */
const work = z.int().min(0).optional();

/** The reply: the body of the ack without `ok` and `trace_id`, or a refusal's parts. */
export const replyMessage = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    /** Of a command that changed neither a grant nor a publication. */
    plain: z.literal(true).optional(),
    work,
    body: z.record(z.string(), z.unknown()),
  }),
  z.object({
    ok: z.literal(false),
    // Any text: a service of the later release may answer a code that this one does not know.
    error: z.string() as unknown as z.ZodType<ErrorCode, string>,
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
    work,
  }),
]);
export type ReplyMessage = z.infer<typeof replyMessage>;

/** Ids of nodes and links. */
export const ids = z.object({ nodes: z.array(z.string()), links: z.array(z.string()) });
export type Ids = z.infer<typeof ids>;

/** A reader's news of their own access: a feed that they gained, lost, or now read at another level (EVT2). */
export const accessChange = z.object({
  feed: z.string(),
  change: z.enum(['gained', 'lost', 'level']),
  /** The reader's level through this feed after the change; null where it was lost. */
  level: z.int().nullable(),
});
export type AccessChange = z.infer<typeof accessChange>;

/** One feed's part of a committed batch, on its way to the sockets that read the feed. */
export const sliceMessage = z.object({
  feed: z.string(),
  epoch: z.int(),
  seq: z.int(),
  /** The diff as clients get it, with `joined`, `left` and `reset` where ids came to the feed or went from it (EVT2). */
  diff: z.record(z.string(), z.unknown()),
  /** Whether anonymous readers have a share in the feed: they get the stripped slice in a room of their own (PUB4). */
  public: z.literal(true).optional(),
  /** News of access for the feed's one reader, numbered like the slice; only in `user:` feeds. */
  access: z.array(accessChange).optional(),
});
export type SliceMessage = z.infer<typeof sliceMessage>;

/** All slices of one group commit, in the order of their commit. */
export const slicesMessage = z.object({ slices: z.array(sliceMessage) });
export type SlicesMessage = z.infer<typeof slicesMessage>;

/** Readers whom one raise of an epoch names at most; past it the raise is told without them, and gateways ask. */
export const MAXIMUM_LEAVING = 1_000;

/**
 * A feed whose epoch was raised, and whom that takes away. With `previous` the raise is explained: whoever reads the feed and is not named
 * goes on reading it (EVT4). Without it, as the release before tells it, all of its readers are judged again.
 */
export const feedRaise = z.object({
  feed: z.string(),
  epoch: z.int(),
  /** The epoch before the group. */
  previous: z.int().optional(),
  /** Ids of users who lost the feed, or, with `due`, lose it then: earlier than they were told before. */
  leaving: z.array(z.object({ user: z.string(), due: z.string().optional() })).optional(),
  /** There where anonymous readers lost the feed, or, with `due`, lose it then. */
  public: z.object({ due: z.string().optional() }).optional(),
});
export type FeedRaise = z.infer<typeof feedRaise>;

/**
 * Tells every gateway what a committed group did to rooms. It may get lost: slices of an epoch that nobody has explained reach nobody, and
 * a gateway that sees one has its readers judged.
 */
export const controlMessage = z.object({
  /** Users whose feeds have to be read again: one was gained, lost, shown or hidden, or ends at another time. */
  readers: z.array(z.string()),
  /** Feeds whose epoch was raised: a reader may have been taken away. */
  feeds: z.array(feedRaise),
  /** Ids of published nodes whose publication ends at another time: the feeds of their readers without an account have to be read again. */
  publications: z.array(z.string()).optional(),
  /** Ids of tokens that have ended: their sockets are closed (AUTH2). */
  tokens: z.array(z.string()).optional(),
  /** Ids of users who were disabled: all their sockets are closed (AUTH1). */
  users: z.array(z.string()).optional(),
});
export type ControlMessage = z.infer<typeof controlMessage>;

/** When grants on a node or its publication end: what was committed just now, for jobs to keep in mind (ACL5). */
export const expiration = z.object({ nodeId: anyId, due: timestamp });
export type Expiration = z.infer<typeof expiration>;

/** Most ends that one message tells of. */
export const EXPIRATIONS_AT_ONCE = 1_000;

/**
 * Tells one of the jobs services. It may get lost: the sweep finds by the database what nobody told of. Its field keeps the name by which the
 * release before knows it.
 */
export const expirationsMessage = z.object({ dues: z.array(expiration).max(EXPIRATIONS_AT_ONCE) });

const tokenKind = z.enum(['session', 'api']);
export type TokenKind = z.infer<typeof tokenKind>;

/** The owner of a token, and what it allows. `expires` is ISO 8601 UTC, or null for never. */
const identity = z.object({
  user: actingUser,
  token: z.object({ id: anyId, kind: tokenKind, readOnly: z.boolean(), expires: z.string().nullable() }),
});
export type IdentityMessage = z.infer<typeof identity>;

/** The answer of the read `tokens:resolve`: tokens that are unknown, expired or revoked are left out, and those of disabled users. */
export const resolvedTokens = z.object({ identities: z.array(identity.extend({ hash: z.string() })) });
export type ResolvedTokens = z.infer<typeof resolvedTokens>;

/** A feed that a reader reads: its head, the reader's level through it, and when the reader's access to it ends by the clock. */
export const readerFeed = z.object({
  feed: z.string(),
  epoch: z.int(),
  seq: z.int(),
  level: z.int(),
  due: z.string().nullable(),
});
export type ReaderFeed = z.infer<typeof readerFeed>;

/**
 * The answer of the read `readers:feeds`: of each user, all feeds whose slices their sockets get, their own first, and the position (EVT2);
 * users who are gone are left out.
 */
export const readersFeeds = z.object({
  readers: z.array(
    z.object({
      id: z.string(),
      feeds: z.array(readerFeed),
      position: z.string(),
      /** There where the user was granted more than is shown (ACL11). */
      truncated: z.literal(true).optional(),
    }),
  ),
});
export type ReadersFeeds = z.infer<typeof readersFeeds>;

/** The answer of the read `public:feeds`: the feed behind each public token that is valid now; others are left out (PUB3). */
export const publicFeeds = z.object({
  tokens: z.array(
    z.object({ token: z.string(), feed: z.string(), epoch: z.int(), seq: z.int(), due: z.string().nullable() }),
  ),
});
export type PublicFeeds = z.infer<typeof publicFeeds>;

/** The feed of all that a user owns, and of what conveys into it. */
export function userFeed(userId: string): string {
  return `user:${userId}`;
}

/** The feed of a branch: a share root and all that belongs to it. */
export function branchFeed(nodeId: string): string {
  return `root:${nodeId}`;
}

/** The feed of a node that is shared or published alone. */
export function nodeFeed(nodeId: string): string {
  return `node:${nodeId}`;
}

/** The user or node id behind a feed's name. */
export function subjectOfFeed(feed: string): string {
  return feed.slice(feed.indexOf(':') + 1);
}
