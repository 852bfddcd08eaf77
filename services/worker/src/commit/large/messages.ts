// The messages between the worker and its thread for large commands.

import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import type { ClaimCandidates } from '@taskgraph/commands/define-command';
import type { HistoryForm } from '@taskgraph/graph-store/commit/history-rows';
import type { Failure } from '@taskgraph/graph-store/driver/failures';
import type { neo4jOptions } from '@taskgraph/runtime/service/backends';
import type { CommandMessage } from '@taskgraph/wire/bus/calls';
import type { Expiration } from '@taskgraph/wire/bus/expirations';
import type { ControlMessage } from '@taskgraph/wire/bus/feed-messages';

/** The thread's input at its start. */
export interface LargeSettings {
  readonly neo4j: ReturnType<typeof neo4jOptions>;
  readonly entities: number;
  readonly historyForm: HistoryForm;
  readonly name: string;
  readonly logLevel: string;
}

/**
 * To the thread: a command, with the candidates of a claim and the clock's difference in
 * milliseconds; the answer to `asked`; or null for the end.
 */
export type ToThread =
  | {
      readonly message: CommandMessage;
      readonly candidates: ClaimCandidates | undefined;
      readonly clockAheadMs: number;
    }
  | { readonly isLeaseHeld: boolean }
  | null;

/** From the thread, in the order in which it happened. */
export type FromThread =
  /** The messages of a command. The thread packs the slices, because packing many takes long. */
  | { kind: 'published'; slices: Uint8Array[]; count: number; control: ControlMessage; expirations: Expiration[] }
  | { kind: 'unpublished'; error: unknown }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'late' }
  | { kind: 'ahead'; aheadMs: number }
  /** The thread is about to commit, and asks whether the lease is still held. */
  | { kind: 'asked' }
  /** Nothing is stored. The worker decides whether this answer may reach the caller. */
  | { kind: 'refused'; reply: Reply }
  | { kind: 'answered'; encoded: Uint8Array }
  /** The command is answered, and the thread is free. */
  | { kind: 'done' };
