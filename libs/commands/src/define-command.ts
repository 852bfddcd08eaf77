// The definition of a command or a read: its declaration, and what it does. Everything else, from routes to history, is shared and derived.

import type { Draft } from '@taskgraph/domain/decision/draft';
import type { Change } from '@taskgraph/domain/state/change';
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import type { Reader } from '@taskgraph/domain/state/state';
import type { Call } from '@taskgraph/wire/calls/call';
import { CALLS, type CallOf, type PayloadSchema } from '@taskgraph/wire/calls/calls';
import type { Resource } from '@taskgraph/wire/entities';
import type { Refusal } from '@taskgraph/wire/errors';
import type { ActingUser } from '@taskgraph/wire/messages';
import type { z } from 'zod';

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

/** Requests that no state could grant, such as a link from a node to itself: judged with the shape (GEN3). */
export type Check<P> = (payload: P) => Refusal | null;

/** A command's remarks on its changes, which stand in its draft: a refusal drops them. Without any it is a no-op, which stores nothing (GEN9). */
export type Decision = Refusal | Remarks | null;

/** Facts that the changes alone do not tell. */
export interface Remarks {
  /** Ids of links that stay in the trash though their node comes back (TRS3). */
  readonly skipped: readonly string[];
  readonly undo?: UndoOf;
}

/** Decides one step on its draft. */
export type Decide = (draft: Draft) => Decision;

/** A step that was taken. */
export interface Step {
  readonly decision: Remarks | null;
  readonly changes: readonly Change[];
}

/** The steps of a command that takes more than one. */
export interface Steps {
  /** Looks at the state that the steps so far left. */
  look<T>(read: (draft: Draft) => T): T;
  /** Decides a step on the state that those before it left. A refusal leaves that state as it was. */
  take(decide: Decide): Step | Refusal;
  /**
   * Deals with the items one after the other, up to the first refusal. An item that lacks something is passed over, and what comes after it
   * is tried for what it lacks too, so that hundreds of items cost a few rounds of loading. `later` says that an item waits for one of those.
   */
  takeEach<T>(items: readonly T[], deal: (item: T, index: number) => Refusal | 'later' | null): Refusal | null;
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

/** The work of a command. */
interface DoingBase<S extends z.ZodObject> {
  readonly check?: Check<z.infer<S>>;
  /** The routing slot (0..4095) whose actor takes the command. */
  readonly route: (payload: z.infer<S>, actor: ActingUser) => number;
  /** The read set to load before `decide`. */
  readonly readSet: (payload: z.infer<S>) => ReadSet;
}

/** The work of most commands: one step. */
interface Doing<S extends z.ZodObject> extends DoingBase<S> {
  /** Pure: all that it does is done to the draft. */
  readonly decide: (draft: Draft, payload: z.infer<S>, context: DecisionContext) => Decision;
}

/** The work of a command that takes several steps, all or none of them. */
interface DoingInSteps<S extends z.ZodObject> extends DoingBase<S> {
  readonly decideInSteps: (steps: Steps, payload: z.infer<S>, context: DecisionContext) => Decision;
}

/** A mutation: routed to one actor, decided on a loaded world, committed with its group. */
export interface CommandDefinition<S extends z.ZodObject = z.ZodObject> extends Call, Doing<S> {
  readonly kind: 'command';
  readonly payload: S;
}

/** A mutation that may turn out to be many. */
export interface SteppedDefinition<S extends z.ZodObject = z.ZodObject> extends Call, DoingInSteps<S> {
  readonly kind: 'command';
  readonly payload: S;
}

/** A mutation that jobs alone send, as the system: no route, no socket event and no limit lead to it. */
export interface SystemCommandDefinition<S extends z.ZodObject = z.ZodObject> extends Doing<S> {
  readonly kind: 'command';
  readonly event: string;
  readonly resource: Resource;
  readonly payload: S;
}

/** A read: answered by any worker. */
export interface ReadDefinition<S extends z.ZodObject = z.ZodObject> extends Call {
  readonly kind: 'read';
  readonly payload: S;
  readonly check?: Check<z.infer<S>>;
}

/** A command of the catalog: its declaration (libs/wire/src/calls), and what it does. */
export function defineCommand<E extends CallOf<'command'>>(
  definition: { readonly event: E } & Doing<PayloadSchema<E>>,
): CommandDefinition<PayloadSchema<E>> {
  const declared: Omit<Call, 'kind' | 'payload'> & { readonly payload: PayloadSchema<E> } = CALLS[definition.event];
  return { ...declared, ...definition, kind: 'command' };
}

/** A command of the catalog that takes several steps. */
export function defineSteppedCommand<E extends CallOf<'command'>>(
  definition: { readonly event: E } & DoingInSteps<PayloadSchema<E>>,
): SteppedDefinition<PayloadSchema<E>> {
  const declared: Omit<Call, 'kind' | 'payload'> & { readonly payload: PayloadSchema<E> } = CALLS[definition.event];
  return { ...declared, ...definition, kind: 'command' };
}

export function defineSystemCommand<S extends z.ZodObject>(
  definition: Omit<SystemCommandDefinition<S>, 'kind'>,
): SystemCommandDefinition<S> {
  return { kind: 'command', ...definition };
}

/** A read of the catalog: its declaration, and what no schema says of its payload, since workers answer it. */
export function defineRead<E extends CallOf<'read'>>(definition: {
  readonly event: E;
  readonly check?: Check<z.infer<PayloadSchema<E>>>;
}): ReadDefinition<PayloadSchema<E>> {
  const declared: Omit<Call, 'kind' | 'payload'> & { readonly payload: PayloadSchema<E> } = CALLS[definition.event];
  return { ...declared, ...definition, kind: 'read' };
}
