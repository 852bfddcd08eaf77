// The interface of a replica for programs.
import type { ReadName } from '@taskgraph/wire/public-types';
import type { Calls, EventName } from '../calls.ts';
import type { Refusal } from '../offline/outbox.ts';
import type { Unsubscribe } from '../session.ts';
import type { ReplicaEvent, ReplicaEvents, ReplicaState } from './replica-events.ts';
import type { SearchMethods } from './replica-find.ts';
import type { PlanMethods } from './replica-plan.ts';
import type { Snapshot } from './view.ts';

/** The events that change the graph, including `batch:undo`. */
export type CommandName = Exclude<EventName, ReadName>;

/** A copy of everything that is visible to its reader. It stays current until it is closed. */
export interface Replica extends PlanMethods, SearchMethods {
  readonly state: ReplicaState;
  /** The name of the user; null without an account, and until the service or a stored graph names it. */
  readonly username: string | null;
  /** The id of the user; null under the same conditions. Another user of the same session clears the graph. */
  readonly userId: string | null;
  /**
   * The current graph with the changes of pending commands. The same object until something
   * changes.
   */
  snapshot(): Snapshot;
  /**
   * Calls the listener whenever the selector returns another value (`Object.is`). Returns a
   * function that ends this.
   */
  subscribe<T>(selector: (snapshot: Snapshot) => T, listener: (value: T) => void): Unsubscribe;
  on<E extends ReplicaEvent>(kind: E, listener: (event: ReplicaEvents[E]) => void): Unsubscribe;
  /**
   * Queues a command behind earlier ones, and shows its expected changes at once. Resolves with the
   * answer, which may need a connection first: then the service has stored the change. Rejects with a TaskgraphError if it is refused, and
   * at once with `client.queue_full`. Until then a created entity has a provisional id
   * (`provisionalId`), which later commands may use.
   */
  send<E extends CommandName>(
    event: E,
    payload: Calls[E]['payload'],
    options?: { key?: string },
  ): Promise<Calls[E]['answer']>;
  /**
   * Whether the reader has more grants than the service lists, as of the last connection. Other
   * entities can be read by id.
   */
  readonly truncated: boolean;
  /** The number of commands without an answer. */
  readonly waiting: number;
  /**
   * How many of these the storage does not have yet; the event `command:stored` reports when it has one.
   * A change without an answer outlives the program only then.
   */
  readonly unstored: number;
  /**
   * The refused commands that waited for a connection, or that an earlier run sent, until they are
   * dismissed. They are stored. The same list until the event `refusals`.
   */
  refusals(): readonly Refusal[];
  /** Removes the refusal of the command with this key. */
  dismiss(key: string): void;
  /**
   * Queues the refused command with this key again, and removes the refusal. A version in its
   * payload no longer counts.
   */
  retry(key: string): void;
  /** The commands without an answer, in order. */
  commands(): readonly Pick<Refusal, 'key' | 'event' | 'payload'>[];
  /** Makes a call by its event, without the queue. */
  call<E extends EventName>(event: E, payload: Calls[E]['payload']): Promise<Calls[E]['answer']>;
  /** Writes everything to the storage and ends. */
  close(): Promise<void>;
}

export interface ReplicaBounds {
  /**
   * Most nodes and links together. One more ends the replica with `client.replica_full`. Default
   * 500,000.
   */
  maximumEntities?: number;
  /** Most commands without an answer. One more fails with `client.queue_full`. Default 1,000. */
  maximumCommands?: number;
}
