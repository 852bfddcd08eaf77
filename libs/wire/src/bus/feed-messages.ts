// Messages from workers to all gateways about feeds: slices, and control messages on access (EVT2, EVT4).
import { z } from 'zod';

/** Ids of nodes and links. */
export const ids = z.object({ nodes: z.array(z.string()), links: z.array(z.string()) });
export type Ids = z.infer<typeof ids>;

/** A change of a reader's own access: a feed gained or lost, or another level in it (EVT2). */
export const accessChange = z.object({
  feed: z.string(),
  change: z.enum(['gained', 'lost', 'level']),
  /** The reader's level through this feed after the change; null if the feed is lost. */
  level: z.int().nullable(),
});
export type AccessChange = z.infer<typeof accessChange>;

/** The slice of one feed, for the sockets that read it. */
export const sliceMessage = z.object({
  feed: z.string(),
  epoch: z.int(),
  seq: z.int(),
  /** The diff in its client form. `joined`, `left` and `reset` name ids that entered or left the feed (EVT2). */
  diff: z.record(z.string(), z.unknown()),
  /** Whether the feed has anonymous readers. They get the stripped slice in a room of their own (PUB4). */
  public: z.literal(true).optional(),
  /** Access changes of the feed's only reader, under the slice's number. Only in `user:` feeds. */
  access: z.array(accessChange).optional(),
});
export type SliceMessage = z.infer<typeof sliceMessage>;

/** All slices of one group, in commit order. */
export const slicesMessage = z.object({ slices: z.array(sliceMessage) });
export type SlicesMessage = z.infer<typeof slicesMessage>;

/** The most readers that one epoch change names. A change with more names none, and gateways verify all readers. */
export const MAXIMUM_LEAVING = 1_000;

/**
 * A feed with a new epoch, and the readers whose access ends. With `previous` the list is complete: a reader of the
 * feed who is not named still reads it (EVT4). Without `previous`, as the previous release sends it, gateways verify
 * all readers again.
 */
export const feedEpochBump = z.object({
  feed: z.string(),
  epoch: z.int(),
  /** The epoch before the group. */
  previous: z.int().optional(),
  /** Users whose access ended. With `due`, it ends then, earlier than announced before. */
  leaving: z.array(z.object({ user: z.string(), due: z.string().optional() })).optional(),
  /** Present if the access of anonymous readers ended. With `due`, it ends then. */
  public: z.object({ due: z.string().optional() }).optional(),
});
export type FeedEpochBump = z.infer<typeof feedEpochBump>;

/**
 * The changes of access that one group committed. The message may be lost: gateways deliver no slice of an epoch
 * without its control message, and verify the readers of its feed instead.
 */
export const controlMessage = z.object({
  /** Users whose list of feeds changed: a feed was gained, lost, shown or hidden, or its access ends at another time. */
  readers: z.array(z.string()),
  feeds: z.array(feedEpochBump),
  /** Published nodes whose publication ends at another time. The feeds of their anonymous readers must be read again. */
  publications: z.array(z.string()).optional(),
  /** Tokens that ended. Gateways close their sockets (AUTH2). */
  tokens: z.array(z.string()).optional(),
  /** Users who were disabled. Gateways close all their sockets (AUTH1). */
  users: z.array(z.string()).optional(),
});
export type ControlMessage = z.infer<typeof controlMessage>;
