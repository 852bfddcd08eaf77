// The typed events of a replica: one for each kind of change.
import type { EventName } from '../calls.ts';
import type { TaskgraphError } from '../error.ts';
import type { Entity } from '../merge-diff.ts';
import type { AccessChanged } from '../session.ts';
import type { Slice } from '../slice-order.ts';

/**
 * `live`: all is here, and changes come as they happen. `catching-up`: something is being fetched. `offline`: there is no connection, and one
 * is sought. `signed-out`: the token is refused, or the publication has ended; nothing is shown any more.
 */
export type ReplicaState = 'live' | 'catching-up' | 'offline' | 'signed-out';

/** The events of a replica, by kind. */
export interface ReplicaEvents {
  'node:added': { readonly node: Entity };
  'node:changed': { readonly node: Entity; readonly before: Entity };
  /** It was taken away from the reader, trashed or deleted. */
  'node:removed': { readonly id: string; readonly before: Entity };
  'link:added': { readonly link: Entity };
  'link:changed': { readonly link: Entity; readonly before: Entity };
  'link:removed': { readonly id: string; readonly before: Entity };
  /** A slice as it came, before what it changes shows: it says who did it. */
  slice: Slice;
  state: { readonly state: ReplicaState; readonly before: ReplicaState };
  /** The reader gained or lost a feed, or reads it at another level. */
  access: AccessChanged;
  /** A command was done; `ids` has the real id of each provisional one that it stood under. */
  'command:done': {
    readonly key: string;
    readonly event: EventName;
    readonly answer: Readonly<Record<string, unknown>>;
    readonly ids: Readonly<Record<string, string>>;
  };
  /** A command was refused, and what it showed is taken back. */
  'command:refused': { readonly key: string; readonly event: EventName; readonly error: TaskgraphError };
  /**
   * Something failed that is tried again, such as a question or a write to the storage. With `client.other_user`: commands of other users wait
   * in the storage, which are theirs alone.
   */
  failed: { readonly error: unknown };
}
export type ReplicaEvent = keyof ReplicaEvents;
