// Compares a service's answers and pushes with those of the reference model, command by command.

import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { ControlMessage, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { expect } from 'vitest';
import type { DrawnCommand } from '../random/step.ts';
import { visibilityAcross } from '../rules/visibility.ts';
import { runCommand } from '../run.ts';
import { emptyState, type ModelCommand, type ModelState, type ModelUser } from '../state.ts';
import { comparableAnswer, cyclePathFaults, namesIn } from './answers.ts';
import { FeedReaders, findLeaks, idsIn } from './leaks.ts';
import { findMissingChanges } from './pushes.ts';

/** The result of a command in the service. */
export interface CommandResult {
  readonly command: ModelCommand;
  readonly reply: ReplyMessage;
  /** The time of its batch or refusal. */
  readonly now: string;
  readonly slices: readonly SliceMessage[];
}

/** Ids in the refusal of a batch that no entity has: those that it would have created. */
function newIn(reply: ReplyMessage, { nodes, links }: ModelState, { event }: ModelCommand): string[] {
  if (event !== 'batch:run' || reply.ok) return [];
  const known = new Set([...nodes, ...links].map(({ id }) => id));
  return idsIn(reply).filter((id) => !known.has(id));
}

/**
 * The subject of the comparison: a worker, or another implementation that runs commands and reports
 * the results.
 */
export interface Subject {
  readonly slices: SliceMessage[];
  /** The control messages to gateways. */
  readonly control: ControlMessage[];
  send(actor: ActingUser, event: string, payload: object, options: { key?: string }): Promise<ReplyMessage>;
}

/** The reference model next to the service. */
export class Comparison {
  state: ModelState;
  now = new Date(0).toISOString();
  readonly rooms: FeedReaders;
  readonly users: readonly ModelUser[];
  /** Ids of deleted entities. */
  readonly ghosts: string[] = [];
  /** Commands with an idempotency key. */
  readonly keyed: DrawnCommand[] = [];
  /** Whether some of the drawn commands become batches. */
  composites = false;
  /** Whether some claims leave the choice of the node to the service. */
  queues = false;
  #compared = 0;

  constructor(users: readonly ModelUser[]) {
    this.users = users;
    this.state = emptyState(users);
    this.rooms = new FeedReaders(users);
  }

  /** Moves the clock, which ends access. */
  wait(now: string): void {
    this.rooms.wait(this.state, this.now, now);
    this.now = now;
    this.rooms.admit({ state: this.state, now });
  }

  /** Throws if the service differs from the model. */
  compare({ command, reply, now, slices }: CommandResult): void {
    if (now !== this.now) this.wait(now);
    const before = { state: this.state, now };
    const ran = runCommand(before.state, command, { now, ...namesIn(reply, command, slices) });
    const { state, answer, between = [] } = ran;
    this.state = state;
    const after = { state, now };
    const { actor, event, payload, key } = command;
    const where = { command: this.#compared++, by: actor.username, event, payload, key };
    expect({ ...where, ...comparableAnswer(reply, answer) }).toEqual({ ...where, ...comparableAnswer(answer, answer) });
    const leaks = [
      ...(event === 'batch:run' ? [] : cyclePathFaults(reply, before.state)),
      ...this.rooms.findLeaks(slices, { before, between, after }),
      ...findLeaks(
        reply,
        [visibilityAcross(before, after, actor, [], between)],
        [payload, actor.id, namesIn(reply, command), ...newIn(reply, before.state, command)],
        this.rooms.tokens,
      ),
    ];
    const untold = findMissingChanges(slices, this.users, before, after);
    expect({ ...where, leaks, untold }).toEqual({ ...where, leaks: [], untold: [] });
    this.rooms.admit(after);
    this.#note(before.state);
  }

  /** Runs a command at the clock's time and compares the result. */
  async perform(subject: Subject, command: ModelCommand, trace?: (reply: ReplyMessage) => void): Promise<void> {
    subject.slices.length = 0;
    subject.control.length = 0;
    const { actor, event, payload, key } = command;
    const reply = await subject.send(actor, event, payload, key === null ? {} : { key });
    trace?.(reply);
    for (const control of subject.control) this.rooms.explain(control);
    this.compare({ command, reply, now: this.now, slices: subject.slices });
    for (const control of subject.control) this.rooms.raise(control);
  }

  /**
   * Compares the results of a group whose commands were decided in this order. `onDeed` gets each
   * result before its comparison.
   */
  compareGroup(
    answered: readonly Pick<CommandResult, 'command' | 'reply'>[],
    { now, slices, control }: Pick<CommandResult, 'now' | 'slices'> & { readonly control: readonly ControlMessage[] },
    onDeed?: (deed: CommandResult) => void,
  ): void {
    for (const one of control) this.rooms.explain(one);
    const seenBatches = new Set<unknown>();
    for (const { command, reply } of answered) {
      const { batchId } = namesIn(reply);
      // A repeated answer has no pushes.
      const own = seenBatches.has(batchId) ? [] : slices.filter(({ diff }) => diff.batchId === batchId);
      seenBatches.add(batchId);
      const deed = { command, reply, now, slices: own };
      onDeed?.(deed);
      this.compare(deed);
    }
    for (const one of control) this.rooms.raise(one);
  }

  #note(before: ModelState): void {
    for (const list of ['nodes', 'links'] as const) {
      const now = new Set(this.state[list].map(({ id }) => id));
      for (const { id } of before[list]) if (!now.has(id)) this.ghosts.push(id);
    }
  }
}
