// The declaration of a command or a read. Everything else, from routes to history, is shared and derived.

import type { Draft } from '@taskgraph/domain/decision/draft';
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import type { Reader } from '@taskgraph/domain/state/state';
import type { Resource } from '@taskgraph/wire/entities';
import type { Refusal } from '@taskgraph/wire/errors';
import type { ActingUser } from '@taskgraph/wire/messages';
import type { z } from 'zod';

/** How a REST client calls it; `path` is below the base URL. */
export interface RestRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Whether POST stands for GET too, for a read whose fields may be too long for a query string. */
  readonly alsoPost?: true;
}

/** All that `decide` may use of its surroundings: no clock and no randomness of its own. */
export interface DecisionContext {
  readonly actor: ActingUser;
  /** The batch's timestamp: ISO 8601 UTC with milliseconds, set under the locks. */
  readonly now: string;
  /** The id of the batch that these changes will make up. */
  readonly batchId: string;
  /** Makes an id in the given routing slot. */
  readonly newId: (slot: number) => string;
  /** Makes a public token: URL-safe, of at least 128 random bits (PUB2). */
  readonly newToken: () => string;
  /** A user whom the group has locked; throws `NotLocked` for others. */
  readonly userOf: (id: string) => Reader;
}

interface Declared {
  /** The socket event; the file's name is the same with dashes. */
  readonly event: string;
  readonly rest: RestRoute;
  /** One sentence for the API documents. */
  readonly summary: string;
  /** The entity whose fields the payload names: tells immutable fields from unknown ones (GEN4). */
  readonly resource: Resource;
}

/** Requests that no state could grant, such as a link from a node to itself: judged with the shape (GEN3). */
export type Check<P> = (payload: P) => Refusal | null;

/** A command's remarks on its changes, which stand in its draft: a refusal drops them. Without any it is a no-op, which stores nothing (GEN9). */
export type Decision = Refusal | Remarks | null;

/** Facts that the changes alone do not tell. */
interface Remarks {
  /** Ids of links that stay in the trash though their node comes back (TRS3). */
  readonly skipped: readonly string[];
  readonly undo?: UndoOf;
}

/** Further facts of a batch that undoes or redoes another (HIS5). */
export interface UndoOf {
  readonly kind: 'undo' | 'redo';
  /** The batch that was asked for. */
  readonly batchId: string;
  readonly origin: string;
  /** Whether it takes the origin's effect away. */
  readonly reverses: boolean;
}

/** A mutation: routed to one actor, decided on a loaded world, committed with its group. */
export interface CommandDefinition<S extends z.ZodObject = z.ZodObject> extends Declared {
  readonly kind: 'command';
  readonly payload: S;
  readonly check?: Check<z.infer<S>>;
  /** The routing slot (0..4095) whose actor takes the command. */
  readonly route: (payload: z.infer<S>, actor: ActingUser) => number;
  /** The read set to load before `decide`. */
  readonly readSet: (payload: z.infer<S>) => ReadSet;
  /** Pure: all that it does is done to the draft. */
  readonly decide: (draft: Draft, payload: z.infer<S>, context: DecisionContext) => Decision;
}

/** A mutation that jobs alone send, as the system: no route, no socket event and no limit lead to it. */
export type SystemCommandDefinition<S extends z.ZodObject = z.ZodObject> = Omit<
  CommandDefinition<S>,
  'rest' | 'limit' | 'summary'
>;

/** A read: answered by any worker. */
export interface ReadDefinition<S extends z.ZodObject = z.ZodObject> extends Declared {
  readonly kind: 'read';
  readonly payload: S;
  /** Whether readers without an account may ask it (PUB3). */
  readonly anonymous?: true;
  /** The payload over sockets where it differs from REST. All that it lets through also fits `payload`. */
  readonly socketPayload?: z.ZodObject;
}

export function defineCommand<S extends z.ZodObject>(
  definition: Omit<CommandDefinition<S>, 'kind'>,
): CommandDefinition<S> {
  return { kind: 'command', ...definition };
}

export function defineSystemCommand<S extends z.ZodObject>(
  definition: Omit<SystemCommandDefinition<S>, 'kind'>,
): SystemCommandDefinition<S> {
  return { kind: 'command', ...definition };
}

export function defineRead<S extends z.ZodObject>(definition: Omit<ReadDefinition<S>, 'kind'>): ReadDefinition<S> {
  return { kind: 'read', ...definition };
}
