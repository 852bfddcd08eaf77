// The reads that gateways and jobs ask of workers and that no client can name: payloads and answers. Rules: AUTH2, EVT1, ACL5, PUB3.
import { z } from 'zod';
import { actingUser } from '../actor.ts';
import { anyId } from '../ids.ts';
import { MOST_DUE_OF_MESSAGE, WEBHOOK_MESSAGE_BYTES, WEBHOOK_WHERE_LENGTH } from '../webhooks/webhook-fields.ts';
import { calendarView } from './account-messages.ts';

const LONGEST_ID = 100;
const LONGEST_TIME = 30;
const LONGEST_EMAIL = 1_000;
const LONGEST_PUBLIC_TOKEN = 1_000;
/** Characters: a position names each feed of its reader. */
const LONGEST_POSITION = 1_000_000;

const duePosition = z.object({ time: z.string().max(LONGEST_TIME), id: z.string().max(LONGEST_ID) });
/** The position of a node in the order of due dates: its date, ISO 8601 UTC, and its id; '' is before each id. */
export type DuePosition = z.infer<typeof duePosition>;

/** The nodes of a message, in order. */
const dueNodes = z.array(duePosition).max(MOST_DUE_OF_MESSAGE);

const dueFilter = {
  hook: anyId,
  root: anyId.nullable(),
  /** The conditions as JSON. */
  where: z.string().max(WEBHOOK_WHERE_LENGTH).nullable(),
} as const;

/** Payloads by event. Each list is bounded, because one query reads it. Unknown fields are ignored, as in calls.ts. */
export const GATEWAY_READS = {
  /** The feeds of several users. */
  'readers:feeds': z.object({
    readers: z.array(z.object({ id: z.string().max(LONGEST_ID), email: z.string().max(LONGEST_EMAIL) })).max(500),
  }),
  /** The feeds of public tokens. */
  'public:feeds': z.object({ tokens: z.array(z.string().max(LONGEST_PUBLIC_TOKEN)).max(500) }),
  /** The heads of feeds. */
  'feeds:heads': z.object({ feeds: z.array(z.string().max(LONGEST_ID)).max(1_000) }),
  /** The owners of tokens, by the SHA-256 of their texts. */
  'tokens:resolve': z.object({
    hashes: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(500),
    /** Whether the gateway knows scopes and bots; otherwise their tokens are unknown. */
    scopes: z.literal(true).optional(),
  }),
  /** The calendars of addresses, by the SHA-256 of their secrets. */
  'calendars:resolve': z.object({ hashes: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(500) }),
  /** The valid ones of some tokens, by id. */
  'tokens:check': z.object({ tokens: z.array(z.string().max(LONGEST_ID)).max(1_000) }),
  /**
   * The content of a webhook's next message, as its user sees it now (HOOK2, HOOK7). Only jobs ask
   * for it.
   */
  'webhook:message': z.object({
    hook: anyId,
    root: anyId.nullable(),
    events: z.array(z.string().max(LONGEST_ID)).max(100),
    /** The conditions as JSON. */
    where: z.string().max(WEBHOOK_WHERE_LENGTH).nullable(),
    /** The position before the message. */
    from: z.string().max(LONGEST_POSITION),
    /** The position after it, if its range is fixed. */
    to: z.string().max(LONGEST_POSITION).nullable(),
  }),
  /** Continues the search for the due nodes of a webhook's next message (HOOK5, HOOK6). Only jobs ask for it. */
  'webhook:due-search': z.object({
    ...dueFilter,
    /** The position after which nodes have not been examined. */
    from: duePosition,
    /** The time at which the search ends; null if this read begins it. */
    until: z.string().max(LONGEST_TIME).nullable(),
    /** The nodes that it has found for the message, and the bytes of their events. */
    count: z.int().min(0).max(MOST_DUE_OF_MESSAGE),
    bytes: z.int().min(0).max(WEBHOOK_MESSAGE_BYTES),
  }),
  /** The content of a message about these due nodes, as its user sees them now (HOOK5, HOOK7). Only jobs ask for it. */
  'webhook:due': z.object({ ...dueFilter, nodes: dueNodes }),
} as const;

export type GatewayRead = keyof typeof GATEWAY_READS;

/** The reads among them that cost as much as a page of a client, and take turns with these. */
export const PAGE_LIKE_READS = [
  'webhook:message',
  'webhook:due-search',
  'webhook:due',
] as const satisfies readonly GatewayRead[];
export type PageLikeRead = (typeof PAGE_LIKE_READS)[number];

const tokenKind = z.enum(['session', 'api']);
export type TokenKind = z.infer<typeof tokenKind>;

/**
 * The owner of a token and its scopes. `expires` is ISO 8601 UTC, or null for never. Without
 * `scopes`, `readOnly` alone says what it may do.
 */
const identity = z.object({
  user: actingUser,
  token: z.object({
    id: anyId,
    kind: tokenKind,
    readOnly: z.boolean(),
    scopes: z.array(z.string()).optional(),
    expires: z.string().nullable(),
  }),
});
export type IdentityMessage = z.infer<typeof identity>;

/** The answer of `tokens:resolve`. It omits tokens that are unknown, expired or revoked, and those of disabled users. */
export const resolvedTokens = z.object({ identities: z.array(identity.extend({ hash: z.string() })) });
export type ResolvedTokens = z.infer<typeof resolvedTokens>;

/** The answer of `calendars:resolve`. It omits addresses that are unknown or have ended, and those of disabled users. */
export const calendarMatches = z.object({
  found: z.array(z.object({ hash: z.string(), user: actingUser, calendar: calendarView })),
});
export type CalendarMatches = z.infer<typeof calendarMatches>;

/** A feed of a reader: its head, the reader's level through it, and the time at which the reader's access ends. */
export const readerFeed = z.object({
  feed: z.string(),
  epoch: z.int(),
  seq: z.int(),
  level: z.int(),
  due: z.string().nullable(),
});
export type ReaderFeed = z.infer<typeof readerFeed>;

/**
 * The answer of `readers:feeds`: for each user, the feeds whose slices their sockets get, their own first, and the
 * position (EVT2). It omits deleted users.
 */
export const readersFeeds = z.object({
  readers: z.array(
    z.object({
      id: z.string(),
      feeds: z.array(readerFeed),
      position: z.string(),
      /** Present if the user was granted more than is shown (ACL11). */
      truncated: z.literal(true).optional(),
    }),
  ),
});
export type ReadersFeeds = z.infer<typeof readersFeeds>;

/** The answer of `public:feeds`: the feed of each valid public token (PUB3). It omits the others. */
export const publicFeeds = z.object({
  tokens: z.array(
    z.object({ token: z.string(), feed: z.string(), epoch: z.int(), seq: z.int(), due: z.string().nullable() }),
  ),
});
export type PublicFeeds = z.infer<typeof publicFeeds>;

/**
 * The answer of `webhook:message`. The content is null if nothing in the range is for this webhook.
 * `to` is the given one, unless it is no position of the user any more.
 */
export const webhookContent = z.object({
  to: z.string(),
  /** Whether more has changed after `to`. */
  hasMore: z.boolean(),
  /** Milliseconds from the receipt of the read to the last check of the user's access. */
  checkedMs: z.int().min(0).optional(),
  /** The earliest end of the user's grants, if any ends: the body has to be sent before. */
  accessEnd: z.string().optional(),
  content: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('graph.changed'), data: z.record(z.string(), z.unknown()) }),
      z.object({ type: z.literal('graph.reset'), data: z.record(z.string(), z.unknown()) }),
    ])
    .nullable(),
});
export type WebhookContent = z.infer<typeof webhookContent>;

/** The answer of `webhook:due-search`. */
export const dueSearchResult = z.object({
  /** All nodes up to here have been examined. */
  to: duePosition,
  /** The time at which the search ends. */
  until: z.string(),
  /** The further nodes that it has found for the message. */
  nodes: dueNodes,
  /** The bytes of the events of all nodes of the message. */
  bytes: z.int().min(0),
  /**
   * `continued`: the search has to continue, before the message is complete. `full`: the message is complete, and
   * there may be more due nodes after `to`. `ended`: the search has reached its end.
   */
  state: z.enum(['continued', 'full', 'ended']),
  /** If the search has ended: no node that the user sees is due between `to` and this time; null for a day at least. */
  next: z.string().nullable(),
  /** As of `webhookContent`. */
  checkedMs: z.int().min(0),
});
export type DueSearchResult = z.infer<typeof dueSearchResult>;

/** The answer of `webhook:due`. The content is null if none of the nodes is for this webhook any more. */
export const webhookDueContent = z.object({
  /** As of `webhookContent`. */
  checkedMs: z.int().min(0),
  /** As of `webhookContent`. */
  accessEnd: z.string().optional(),
  content: z.object({ type: z.literal('graph.due'), data: z.record(z.string(), z.unknown()) }).nullable(),
});
export type WebhookDueContent = z.infer<typeof webhookDueContent>;
