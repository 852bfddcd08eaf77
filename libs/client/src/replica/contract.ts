// The side of a replica that programs use.
import type { ReadName } from '@taskgraph/wire/public-types';
import type { Calls, EventName } from '../calls.ts';
import type { Unlisten } from '../session.ts';
import type { ReplicaEvent, ReplicaEvents, ReplicaState } from './changes.ts';
import type { Planning } from './replica-plan.ts';
import type { Snapshot } from './view.ts';

/** Events that change something; `batch:undo` and the like among them. */
export type CommandName = Exclude<EventName, ReadName>;

/** A copy of all that its reader reads, which keeps itself right until it is closed. */
export interface Replica extends Planning {
  readonly state: ReplicaState;
  /** The graph as it is shown now, with the changes of commands that wait. The same object until something changes. */
  snapshot(): Snapshot;
  /** Calls the listener whenever what the selector gives is another than before (`Object.is`); gives a function that ends this. */
  subscribe<T>(selector: (snapshot: Snapshot) => T, listener: (value: T) => void): Unlisten;
  on<E extends ReplicaEvent>(kind: E, listener: (event: ReplicaEvents[E]) => void): Unlisten;
  /**
   * Sends a command as soon as that is possible, after those before it, and shows at once what it will do as far as that is clear. Resolves
   * with the answer, which may take until there is a connection again; rejects with a TaskgraphError where it is refused, and at once with
   * `client.queue_full`. A thing that it makes has a provisional id until then (`provisionalId`), which later commands may name.
   */
  send<E extends CommandName>(
    event: E,
    payload: Calls[E]['payload'],
    options?: { key?: string },
  ): Promise<Calls[E]['answer']>;
  /** Whether more was granted to the reader than the service shows, as of the last connection: what is named by its id can be read all the same. */
  readonly truncated: boolean;
  /** How many commands wait for their answers. */
  readonly waiting: number;
  /** Makes any call by its event, at once. */
  call<E extends EventName>(event: E, payload: Calls[E]['payload']): Promise<Calls[E]['answer']>;
  /** Writes all to the storage and ends. */
  close(): Promise<void>;
}

export interface ReplicaBounds {
  /** Most nodes and links together; past it the replica ends with `client.replica_full`. 500,000 if not given. */
  maximumEntities?: number;
  /** Most commands that may wait; past it `client.queue_full`. 1,000 if not given. */
  maximumCommands?: number;
}
