// The definition of a command: its declaration, and its work. The pipeline does everything else for all commands alike.

import type { Draft } from '@taskgraph/domain/decision/draft';
import type { Change } from '@taskgraph/domain/state/change';
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import type { Reader } from '@taskgraph/domain/state/state';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { Refusal } from '@taskgraph/wire/errors';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { type NameOf, OPERATIONS, type PayloadSchema } from '@taskgraph/wire/operations/operations';
import type { Parsable } from '@taskgraph/wire/operations/payload-parser';
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
interface WorkBase<S extends z.ZodObject> {
  /** The routing slot (0..4095) whose actor takes the command. */
  readonly route: (payload: z.infer<S>, actor: ActingUser) => number;
  /** The read set to load before `decide`. */
  readonly readSet: (payload: z.infer<S>) => ReadSet;
}

/** The work of most commands: one step. */
interface Work<S extends z.ZodObject> extends WorkBase<S> {
  /** Pure: everything that it does is done to the draft. */
  readonly decide: (draft: Draft, payload: z.infer<S>, context: DecisionContext) => Decision;
}

/** The work of a command that takes several steps, all or none of them. */
interface SteppedWork<S extends z.ZodObject> extends WorkBase<S> {
  readonly decideInSteps: (steps: Steps, payload: z.infer<S>, context: DecisionContext) => Decision;
}

interface Declared<S extends z.ZodObject> extends Parsable<S> {
  readonly name: string;
}

/** A command of one step: routed to one actor, decided on a loaded world, committed with its group. */
export interface CommandDefinition<S extends z.ZodObject = z.ZodObject> extends Declared<S>, Work<S> {}

/** A command of several steps. */
export interface SteppedDefinition<S extends z.ZodObject = z.ZodObject> extends Declared<S>, SteppedWork<S> {}

/** A command of users; its declaration is in libs/wire/src/operations. */
export function defineCommand<N extends NameOf<'command'>>(
  definition: { readonly name: N } & Work<PayloadSchema<N>>,
): CommandDefinition<PayloadSchema<N>> {
  return { ...declarationOf(definition.name), ...definition };
}

/** A command of users that takes several steps. */
export function defineSteppedCommand<N extends NameOf<'command'>>(
  definition: { readonly name: N } & SteppedWork<PayloadSchema<N>>,
): SteppedDefinition<PayloadSchema<N>> {
  return { ...declarationOf(definition.name), ...definition };
}

/** A command that only jobs send, as the system. It has no declaration: no transport leads to it. */
export function defineSystemCommand<S extends z.ZodObject>(definition: CommandDefinition<S>): CommandDefinition<S> {
  return definition;
}

function declarationOf<N extends NameOf<'command'>>(name: N): Declared<PayloadSchema<N>> {
  const declared: Omit<Operation, 'payload'> & { readonly payload: PayloadSchema<N> } = OPERATIONS[name];
  return declared;
}
