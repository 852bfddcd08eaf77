// The messages between the worker and its thread for large commands.

import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import type { Failure } from '@taskgraph/graph-store/driver/failures';
import type { neo4jOptions } from '@taskgraph/runtime/service/backends';
import type { CommandMessage, ControlMessage, Expiration } from '@taskgraph/wire/messages';

/** The thread's input at its start. */
export interface LargeSettings {
  readonly neo4j: ReturnType<typeof neo4jOptions>;
  readonly entities: number;
  readonly name: string;
  readonly logLevel: string;
}

/**
 * To the thread: a command, with what the clock of the machine is ahead by, in milliseconds;
 * whether the present one may still be done, where the thread asked; or null for the end.
 */
export type ToThread =
  | { readonly message: CommandMessage; readonly clockAheadMs: number }
  | { readonly isLeaseHeld: boolean }
  | null;

/** From the thread, in the order in which it happened. */
export type FromThread =
  /**
   * The part of a command for others. Slices are packed there, since that takes as long as there is
   * much of them.
   */
  | { kind: 'published'; slices: Uint8Array[]; count: number; control: ControlMessage; expirations: Expiration[] }
  | { kind: 'unpublished'; error: unknown }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'late' }
  | { kind: 'ahead'; aheadMs: number }
  /** It is about to commit: may it still? */
  | { kind: 'asked' }
  /** It stores nothing, and says so: the worker judges whether that may be told. */
  | { kind: 'refused'; reply: Reply }
  | { kind: 'answered'; encoded: Uint8Array }
  /** The command is answered, and the next one may come. */
  | { kind: 'done' };
