// Runs a command on the model: the order of the checks, idempotency keys, and the answer.

import { named, type Operation, operationsIn, resultOf } from './batch-operations.ts';
import { claimAnswer, claimCommands } from './commands/claim-commands.ts';
import { grantCommands } from './commands/grant-commands.ts';
import { linkCommands } from './commands/link-commands.ts';
import { nodeCommands } from './commands/node-commands.ts';
import { publishCommands } from './commands/publish-commands.ts';
import { linkPurge, nodeExpire, nodePurge } from './commands/system-commands.ts';
import { trashCommands } from './commands/trash-commands.ts';
import { batchRedo, batchUndo, withUndone } from './commands/undo.ts';
import { type Entries, entriesFor, isShown, type View } from './diff.ts';
import { type Draft, recordBetween, startDraft } from './draft.ts';
import { type Command, type Refusal, refuse } from './refusals.ts';
import { checkOperations, checkShape } from './shapes.ts';
import type { ModelAnswer, ModelBatch, ModelCommand, ModelMoment, ModelOp, ModelState } from './state.ts';
import { finish } from './state-cache.ts';

/** Operations for single commands and for batches (BAT1). */
const OPERATIONS: Readonly<Record<string, Command>> = {
  ...nodeCommands,
  ...trashCommands,
  ...publishCommands,
  ...grantCommands,
  ...linkCommands,
};
export const OPERATION_EVENTS: readonly string[] = Object.keys(OPERATIONS);

const COMMANDS: Readonly<Record<string, Command>> = {
  ...OPERATIONS,
  'batch:undo': batchUndo,
  'batch:redo': batchRedo,
  ...claimCommands,
  'node:expire': nodeExpire,
  'node:purge': nodePurge,
  'link:purge': linkPurge,
};

const isOperation = (event: string) => Object.hasOwn(OPERATIONS, event);

/** Events whose `due` must be in the future (ACL5, PUB2). */
const WITH_DUE: ReadonlySet<string> = new Set([
  'node:access',
  'node:access:update',
  'node:publish',
  'node:publish:update',
]);

/** The state after a command, and the caller's answer. */
export interface CommandOutcome {
  readonly state: ModelState;
  readonly answer: ModelAnswer;
  /** The states between the operations of a batch. */
  readonly between?: readonly ModelState[];
}

/**
 * Decides and applies a command. A refusal leaves the state unchanged. Rules: GEN3, GEN8, GEN9.
 *
 * GEN3: within "state and version", the trash and other states come first, then the version guard.
 * GEN3, GEN8: the key is checked after the refusals that hold for every state and time, and before
 * everything else. GEN3, ACL5: `invalid_due` is checked with the shape, before existence.
 */
export function runCommand(state: ModelState, command: ModelCommand, moment: ModelMoment): CommandOutcome {
  const refused = (refusal: Refusal): CommandOutcome => ({ state, answer: refusal });
  const misshapen = command.event === 'batch:run' ? checkOperations(command, isOperation) : checkShape(command);
  if (misshapen !== null) return refused(misshapen);
  const stored = storedAnswer(state, command, moment.now);
  if (stored !== null) return { state, answer: stored };
  const draft = startDraft(state, command.actor, moment);
  const composite = command.event === 'batch:run' ? runOperations(draft, operationsIn(command)) : null;
  const refusal = composite === null ? judge(draft, command) : composite.refusal;
  if (refusal !== null) return refused(refusal);
  const turns = command.event === 'batch:undo' || command.event === 'batch:redo';
  const moves = composite === null ? draft.ops.length > 0 || !isSame(draft.state, state) : composite.moves;
  if (!turns && !moves) return { state, answer: unchanged(command, moment) };
  const batch: ModelBatch = {
    id: moment.batchId,
    actor: command.actor,
    event: command.event,
    ts: moment.now,
    ops: draft.ops.map(freezeStep),
    skipped: draft.skipped,
    undone: false,
    undoOf: command.event === 'batch:undo' ? (command.payload.batchId as string) : null,
    redoOf: command.event === 'batch:redo' ? (command.payload.batchId as string) : null,
  };
  const after = finish(
    withUndone(withKey({ ...draft.state, batches: [...draft.state.batches, batch] }, command, batch), batch),
  );
  const view = { before: state, after, user: command.actor, now: moment.now };
  const results = { ...resultsOf(command, batch.ops), ...claimAnswer(view, command, batch.ops) };
  const answer: ModelAnswer = { ok: true, body: { ...bodyOf(view, batch), ...results } };
  return { state: after, answer, between: draft.between };
}

/** The step, which all later states share: it never changes again. */
function freezeStep(op: ModelOp): ModelOp {
  for (const entity of [op.before, op.after]) if (entity !== null) Object.freeze(entity);
  return Object.freeze(op);
}

/** Decides one command or operation on the draft's state. Rules: GEN3, ACL5. */
function judge(draft: Draft, { event, payload }: Pick<ModelCommand, 'event' | 'payload'>): Refusal | null {
  const { due } = payload;
  if (WITH_DUE.has(event) && typeof due === 'string' && due <= draft.moment.now) return refuse('invalid_due');
  const command = COMMANDS[event];
  if (command === undefined) throw new Error(`The model knows no event ${event}.`);
  return command(draft, payload);
}

/** Decides and applies operations one after another. Rules: BAT3. */
function runOperations(draft: Draft, operations: readonly Operation[]): { refusal: Refusal | null; moves: boolean } {
  const names = new Map<string, string>();
  let moves = false;
  for (const [index, operation] of operations.entries()) {
    const { event, payload: sent = {}, as } = operation;
    const moment = { ...draft.moment, ...draft.moment.each?.[index] };
    const payload = named(sent, names);
    const before = entitiesOf(draft.state);
    if (index > 0) recordBetween(draft);
    const refusal = judge({ ...draft, moment, part: index }, { event, payload });
    if (refusal !== null) return { refusal: { ...refusal, details: { ...refusal.details, index } }, moves };
    moves ||= entitiesOf(draft.state) !== before;
    const { id, link } = resultOf(
      operation,
      draft.ops.filter(({ part }) => part === index),
    );
    if (as !== undefined && id !== undefined) names.set(`$${as}`, id);
    if (as !== undefined && link !== undefined) names.set(`$${as}.link`, link);
  }
  return { refusal: null, moves };
}

/**
 * Whether a command changed nothing. Rules: GEN9.
 *
 * GEN9, HIS5: an undo that restores nothing is a batch all the same, because its batch is undone
 * now.
 *
 * ACL6, TRS3: changing `showing` and removing a mark are not operations, but they are batches,
 * because readers' feeds change with them.
 */
function isSame(after: ModelState, before: ModelState): boolean {
  return entitiesOf(after) === entitiesOf(before);
}

/** Everything that a command may change before its batch is stored, as one text. */
function entitiesOf({ nodes, links, grants }: ModelState): string {
  return JSON.stringify([nodes, links, grants]);
}

/** A payload as text, independent of the order of its fields. Rules: GEN8. */
function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, inner]) => `${JSON.stringify(name)}:${sortedText(inner)}`).join(',')}}`;
}

/**
 * The nodes and links that each operation of a batch created or restored; in a repeated answer, the
 * visible ones. Rules: BAT6.
 */
function resultsOf(command: ModelCommand, ops: readonly ModelOp[]): { results?: object[] } {
  if (command.event !== 'batch:run') return {};
  const operations = operationsIn(command);
  return {
    results: operations.map((operation, at) =>
      resultOf(
        operation,
        ops.filter(({ part }) => part === at),
      ),
    ),
  };
}

/**
 * The answer stored under the command's key, reduced to what the caller may see now; null if there
 * is none. Rules: GEN8.
 */
function storedAnswer(state: ModelState, command: ModelCommand, now: string): ModelAnswer | null {
  const entry = state.keys.find((one) => one.userId === command.actor.id && one.key === command.key);
  if (command.key === null || entry === undefined) return null;
  if (entry.event !== command.event || entry.payload !== sortedText(command.payload)) {
    return refuse('conflict.idempotency_key');
  }
  const batch = state.batches.find((one) => one.id === entry.batchId)!;
  const view = { before: null, after: state, user: command.actor, now };
  const shown = batch.ops.filter((op) => isShown(view, op));
  return {
    ok: true,
    body: { ...bodyOf(view, batch), ...resultsOf(command, shown), ...claimAnswer(view, command, shown) },
  };
}

/**
 * Stores the answer under the command's key. Rules: GEN8.
 *
 * GEN8, GEN9: a command that changes nothing stores nothing, not even its key; its repetition is
 * decided again, like a refusal.
 */
function withKey(state: ModelState, command: ModelCommand, batch: ModelBatch): ModelState {
  if (command.key === null) return state;
  const { event, key, actor } = command;
  const entry = { userId: actor.id, key, event, payload: sortedText(command.payload), batchId: batch.id };
  return { ...state, keys: [...state.keys, entry] };
}

/** The answer of a command that changes nothing. Rules: GEN9. */
function unchanged(command: ModelCommand, moment: ModelMoment): ModelAnswer {
  const { username, email } = command.actor;
  const empty = { nodes: [], links: [], access: [], user: [] };
  const diff = { batchId: null, actor: { username, email }, ts: moment.now, ...empty };
  return { ok: true, body: { diff, ...resultsOf(command, []), ...claimAnswer(null, command, []) } };
}

/** The body of the answer to a batch. Rules: WIRE5, HIS6, TRS3. */
function bodyOf(view: View, batch: ModelBatch): Record<string, unknown> {
  const entries = entriesFor(view, batch.ops, batch.skipped);
  const { nodes, links, access } = entries;
  const skipped = entries.skipped.length === 0 ? {} : { skipped: entries.skipped };
  if (batch.undoOf !== null) return { batchId: batch.id, undoOf: batch.undoOf, diff: flatDiff(entries, skipped) };
  if (batch.redoOf !== null) return { batchId: batch.id, redoOf: batch.redoOf, diff: flatDiff(entries, skipped) };
  const { username, email } = batch.actor;
  const head = { batchId: batch.id, actor: { username, email }, ts: batch.ts };
  return { diff: { ...head, nodes, links, access, user: [], ...skipped } };
}

/**
 * The diff of an undo or redo: each entry has the fields of its `after` next to `op`, `before` and
 * `after`. Rules: HIS6.
 *
 * HIS6: `access` exists only if grants are shown; a deleted grant has no flat fields, because its
 * `after` is `{}`.
 */
function flatDiff(entries: Entries, skipped: object): Record<string, unknown> {
  const flat = (list: Entries['nodes']) => list.map((entry) => ({ ...entry.after, ...entry }));
  const access = entries.access.length === 0 ? {} : { access: flat(entries.access) };
  return { nodes: flat(entries.nodes), links: flat(entries.links), ...access, ...skipped };
}
