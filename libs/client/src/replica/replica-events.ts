// The events of a replica and its state.
import type { EventName } from '../calls.ts';
import type { TaskgraphError } from '../error.ts';
import type { Entity } from '../merge-diff.ts';
import type { AccessChanged } from '../session.ts';
import type { Slice } from '../slice-order.ts';

/**
 * `live`: nothing is missing, and changes arrive as they happen. `catching-up`: something is being
 * fetched. `offline`: there is no connection, and the replica reconnects. `signed-out`: the token
 * was refused or the publication has ended, and the replica shows nothing.
 */
export type ReplicaState = 'live' | 'catching-up' | 'offline' | 'signed-out';

/** The events of a replica, by kind. */
export interface ReplicaEvents {
  'node:added': { readonly node: Entity };
  'node:changed': { readonly node: Entity; readonly before: Entity };
  /** It was trashed or deleted, or is no longer visible to the reader. */
  'node:removed': { readonly id: string; readonly before: Entity };
  'link:added': { readonly link: Entity };
  'link:changed': { readonly link: Entity; readonly before: Entity };
  'link:removed': { readonly id: string; readonly before: Entity };
  /** A slice as it arrived, with its actor. Its changes show afterwards. */
  slice: Slice;
  state: { readonly state: ReplicaState; readonly before: ReplicaState };
  /** The reader gained or lost a feed, or has another level in it. */
  access: AccessChanged;
  /** The storage has a command that is not done yet: from now on it outlives the program. */
  'command:stored': { readonly key: string };
  /** A command was done. `ids` has the real ids by provisional id. */
  'command:done': {
    readonly key: string;
    readonly event: EventName;
    readonly answer: Readonly<Record<string, unknown>>;
    readonly ids: Readonly<Record<string, string>>;
  };
  /** A command was refused, and its changes are removed. */
  'command:refused': { readonly key: string; readonly event: EventName; readonly error: TaskgraphError };
  /** `refusals()` is another list. */
  refusals: null;
  /**
   * Something failed that is retried, such as a read or a write to the storage. With
   * `client.other_user`: the storage has commands of other users, which wait for them.
   */
  failed: { readonly error: unknown };
}
export type ReplicaEvent = keyof ReplicaEvents;
