// Compares what a service did with one command after another, its answer and its pushes, with what the reference model does.

import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { ControlMessage, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { expect } from 'vitest';
import type { DrawnCommand } from '../random/step.ts';
import { sightAcross } from '../rules/visibility.ts';
import { runCommand } from '../run.ts';
import { emptyState, type ModelCommand, type ModelState, type ModelUser } from '../state.ts';
import { comparableAnswer, cyclePathFaults, namesIn } from './answers.ts';
import { findLeaks, idsIn, Rooms } from './leaks.ts';
import { findUntold } from './pushes.ts';

/** The result of a command in the service. */
export interface Deed {
  readonly command: ModelCommand;
  readonly reply: ReplyMessage;
  /** The time of its batch, or of its refusal. */
  readonly now: string;
  readonly slices: readonly SliceMessage[];
}

/** Ids in the refusal of a composite that nothing has: of what it would have made. */
function newIn(reply: ReplyMessage, { nodes, links }: ModelState, { event }: ModelCommand): string[] {
  if (event !== 'batch:run' || reply.ok) return [];
  const known = new Set([...nodes, ...links].map(({ id }) => id));
  return idsIn(reply).filter((id) => !known.has(id));
}

/** A worker, or whatever else does commands and tells of them. */
export interface Subject {
  readonly slices: SliceMessage[];
  /** The messages to gateways about rooms. */
  readonly control: ControlMessage[];
  send(actor: ActingUser, event: string, payload: object, options: { key?: string }): Promise<ReplyMessage>;
}

/** The reference model beside the service. */
export class Comparison {
  state: ModelState;
  now = new Date(0).toISOString();
  readonly rooms: Rooms;
  readonly users: readonly ModelUser[];
  /** Ids of what is gone. */
  readonly ghosts: string[] = [];
  /** Commands that went with a key. */
  readonly keyed: DrawnCommand[] = [];
  /** Whether some of the drawn commands become composites. */
  composites = false;
  #compared = 0;

  constructor(users: readonly ModelUser[]) {
    this.users = users;
    this.state = emptyState(users);
    this.rooms = new Rooms(users);
  }

  /** Moves the clock, by which access ends. */
  wait(now: string): void {
    this.rooms.wait(this.state, this.now, now);
    this.now = now;
    this.rooms.admit({ state: this.state, now });
  }

  /** Throws where the service did not do what the model does. */
  compare({ command, reply, now, slices }: Deed): void {
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
        [sightAcross(before, after, actor, [], between)],
        [payload, actor.id, namesIn(reply, command), ...newIn(reply, before.state, command)],
        this.rooms.tokens,
      ),
    ];
    const untold = findUntold(slices, this.users, before, after);
    expect({ ...where, leaks, untold }).toEqual({ ...where, leaks: [], untold: [] });
    this.rooms.admit(after);
    this.#note(before.state);
  }

  /** Has a command done at the clock's time, and compares what was done. */
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

  /** Compares what came of a group, whose commands were decided in this order. `onDeed` hears of each before it is compared. */
  compareGroup(
    answered: readonly Pick<Deed, 'command' | 'reply'>[],
    { now, slices, control }: Pick<Deed, 'now' | 'slices'> & { readonly control: readonly ControlMessage[] },
    onDeed?: (deed: Deed) => void,
  ): void {
    for (const one of control) this.rooms.explain(one);
    const told = new Set<unknown>();
    for (const { command, reply } of answered) {
      const { batchId } = namesIn(reply);
      // An answer that is given again has no pushes.
      const own = told.has(batchId) ? [] : slices.filter(({ diff }) => diff.batchId === batchId);
      told.add(batchId);
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
