// The definition of a command. The pipeline does the rest alike for all commands.

import type { Draft } from '@taskgraph/domain/decision/draft';
import type { Change } from '@taskgraph/domain/state/change';
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import type { Reader } from '@taskgraph/domain/state/state';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { Refusal } from '@taskgraph/wire/errors';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { type NameOf, OPERATIONS, type PayloadSchema } from '@taskgraph/wire/operations/operations';
import type { Parsable } from '@taskgraph/wire/operations/payload-parser';
import type { TokenScopes } from '@taskgraph/wire/scopes';
import type { z } from 'zod';

/** The environment of `decide`, which has no clock and no randomness of its own. */
export interface DecisionContext {
  readonly actor: ActingUser;
  /** The batch's timestamp: ISO 8601 UTC with milliseconds, set under the locks. */
  readonly now: string;
  /** The id of the batch of these changes. */
  readonly batchId: string;
  /** Creates an id in the given slot. */
  readonly newId: (slot: number) => string;
  /** Creates a public token: URL-safe, at least 128 random bits (PUB2). */
  readonly newToken: () => string;
  /** A user whom the group has locked; throws `NotLocked` for others. */
  readonly userOf: (id: string) => Reader;
  /** The scopes of the caller's token, for an undo or redo (SCOPE2). */
  readonly scopes: TokenScopes;
  /** For a claim without an id: the nodes to try. */
  readonly candidates?: ClaimCandidates | undefined;
}

/**
 * The nodes that a claim may take, in order, as read before the decision, or the refusal of that
 * read. They are not part of the command: a repeat gets its first answer whatever they are
 * (CLAIM4). The decision judges each of them again, so they may be stale.
 */
export type ClaimCandidates = { readonly ids: readonly string[] } | Refusal;

/**
 * The outcome of a decision. Its changes are in the draft, which a refusal discards. A draft
 * without changes is a no-op, which stores nothing (GEN9).
 */
export type Decision = Refusal | DecisionDetails | null;

/** Facts that the changes do not contain. */
export interface DecisionDetails {
  /** Ids of links that stay in the trash when their node is restored (TRS3). */
  readonly skipped: readonly string[];
  readonly undo?: RevertReference;
}

/** Decides one step on a draft. */
export type Decide = (draft: Draft) => Decision;

/** A decided step. */
export interface Step {
  readonly decision: DecisionDetails | null;
  readonly changes: readonly Change[];
}

/** The steps of a command with more than one. */
export interface Steps {
  /** Reads the state after the steps so far. */
  read<T>(read: (draft: Draft) => T): T;
  /** Decides a step on the state after the steps so far. A refusal leaves that state unchanged. */
  take(decide: Decide): Step | Refusal;
  /**
   * Handles the items in order, up to the first refusal. After an item with missing data, later
   * items only add to the list of missing data, so that hundreds of items cost a few rounds of
   * loading. `later`: the item depends on one with missing data.
   */
  takeEach<T>(items: readonly T[], handle: (item: T, index: number) => Refusal | 'later' | null): Refusal | null;
}

/** The reference of an undo or redo to another batch (HIS5). */
export interface RevertReference {
  readonly kind: 'undo' | 'redo';
  /** The batch named by the command. */
  readonly batchId: string;
  readonly origin: string;
  /** Whether it reverts the origin. */
  readonly reverses: boolean;
}

/** The functions of a command. */
interface CommandBodyBase<S extends z.ZodObject> {
  /** The slot (0..4095) that handles the command. */
  readonly route: (payload: z.infer<S>, actor: ActingUser) => number;
  /** The read set to load before `decide`. */
  readonly readSet: (payload: z.infer<S>) => ReadSet;
}

/** The functions of most commands, which have one step. */
interface CommandBody<S extends z.ZodObject> extends CommandBodyBase<S> {
  /** Pure: all effects are on the draft. */
  readonly decide: (draft: Draft, payload: z.infer<S>, context: DecisionContext) => Decision;
}

/** The functions of a command with several steps, all or none of which take effect. */
interface SteppedBody<S extends z.ZodObject> extends CommandBodyBase<S> {
  readonly decideInSteps: (steps: Steps, payload: z.infer<S>, context: DecisionContext) => Decision;
}

interface CommandDeclaration<S extends z.ZodObject> extends Parsable<S> {
  readonly name: string;
  /** Absent for commands of the system. */
  readonly scope?: Operation['scope'];
}

/**
 * A command of one step: routed to one slot, decided on a loaded world, committed with its group.
 */
export interface CommandDefinition<S extends z.ZodObject = z.ZodObject> extends CommandDeclaration<S>, CommandBody<S> {}

/** A command of several steps. */
export interface SteppedDefinition<S extends z.ZodObject = z.ZodObject> extends CommandDeclaration<S>, SteppedBody<S> {}

/** Defines a command of users, which is declared in libs/wire/src/operations. */
export function defineCommand<N extends NameOf<'command'>>(
  definition: { readonly name: N } & CommandBody<PayloadSchema<N>>,
): CommandDefinition<PayloadSchema<N>> {
  return { ...declarationOf(definition.name), ...definition };
}

/** Defines a command of users with several steps. */
export function defineSteppedCommand<N extends NameOf<'command'>>(
  definition: { readonly name: N } & SteppedBody<PayloadSchema<N>>,
): SteppedDefinition<PayloadSchema<N>> {
  return { ...declarationOf(definition.name), ...definition };
}

/**
 * Defines a command that jobs send as the system. It has no declaration, so no transport leads to
 * it.
 */
export function defineSystemCommand<S extends z.ZodObject>(definition: CommandDefinition<S>): CommandDefinition<S> {
  return definition;
}

function declarationOf<N extends NameOf<'command'>>(name: N): CommandDeclaration<PayloadSchema<N>> {
  const declared: Omit<Operation, 'payload'> & { readonly payload: PayloadSchema<N> } = OPERATIONS[name];
  return declared;
}
