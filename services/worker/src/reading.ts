// What every read is made of: its message, what it may use of its surroundings, and what it answers.
import type { Database } from '@taskgraph/graph-store/database';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { ActingUser, ReadMessage } from '@taskgraph/wire/messages';

export interface ReadEnvironment {
  readonly database: Database;
  /** Signs positions. */
  readonly secret: string;
  readonly nowMs: () => number;
}

/** The body of an ack without `ok` and `trace_id`. */
export type Body = Record<string, unknown>;

/** Answers one kind of read. Rejects on bugs and on a database that is away. */
export type Reading = (message: ReadMessage, environment: ReadEnvironment) => Promise<Body | Refusal>;

/** The moment of a read as it is compared with stored times: ISO 8601 UTC with milliseconds. */
export function nowOf({ nowMs }: Pick<ReadEnvironment, 'nowMs'>): string {
  return new Date(nowMs()).toISOString();
}

/** A reading that needs a user. */
export function asUser(
  read: (message: ReadMessage, actor: ActingUser, environment: ReadEnvironment) => Promise<Body | Refusal>,
): Reading {
  return async (message, environment) => {
    if (message.actor === null) return refuse('unauthorized', 'This needs an API token.');
    return read(message, message.actor, environment);
  };
}
