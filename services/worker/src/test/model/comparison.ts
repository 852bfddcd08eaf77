// Judges what the service did with one command after another: its answer, its pushes, and what all readers then see.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { sightAcross } from '@taskgraph/testkit/model/rules/visibility';
import { runCommand } from '@taskgraph/testkit/model/run';
import { emptyState, type ModelCommand, type ModelState, type ModelUser } from '@taskgraph/testkit/model/state';
import type { ReplyMessage, SliceMessage } from '@taskgraph/wire/messages';
import { expect } from 'vitest';
import type { TestWorker } from '../support/harness.ts';
import { comparableAnswer, cyclePathFaults, namesIn } from './answers.ts';
import { findLeaks, Rooms } from './leaks.ts';
import type { Replica } from './looking.ts';
import { findUntold } from './pushes.ts';
import type { DrawnCommand } from './step.ts';
import { compareViews } from './views.ts';

/** What the service did with a command. */
export interface Deed {
  readonly command: ModelCommand;
  readonly reply: ReplyMessage;
  /** The time of its batch, or of its refusal. */
  readonly now: string;
  readonly slices: readonly SliceMessage[];
}

/** The reference model beside the service. */
export class Judge {
  state: ModelState;
  now = new Date(0).toISOString();
  readonly rooms: Rooms;
  readonly users: readonly ModelUser[];
  /** Ids of what is gone. */
  readonly ghosts: string[] = [];
  /** Commands that went with a key. */
  readonly keyed: DrawnCommand[] = [];
  readonly #replicas = new Map<string, Replica>();
  #judged = 0;

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
  judge({ command, reply, now, slices }: Deed): void {
    if (now !== this.now) this.wait(now);
    const before = { state: this.state, now };
    const { state, answer } = runCommand(before.state, command, { now, ...namesIn(reply) });
    this.state = state;
    const after = { state, now };
    const { actor, event, payload, key } = command;
    const where = { command: this.#judged++, by: actor.username, event, payload, key };
    expect({ ...where, ...comparableAnswer(reply, answer) }).toEqual({ ...where, ...comparableAnswer(answer, answer) });
    const leaks = [
      ...cyclePathFaults(reply, before.state),
      ...this.rooms.findLeaks(slices, before, after),
      ...findLeaks(
        reply,
        [sightAcross(before, after, actor)],
        [payload, actor.id, namesIn(reply).batchId],
        this.rooms.tokens,
      ),
    ];
    const untold = findUntold(slices, this.users, before, after);
    expect({ ...where, leaks, untold }).toEqual({ ...where, leaks: [], untold: [] });
    this.rooms.admit(after);
    this.#note(before.state);
  }

  /** Has a worker do a command at the clock's time, and judges what it did. */
  async perform(worker: TestWorker, command: ModelCommand, trace?: (reply: ReplyMessage) => void): Promise<void> {
    worker.slices.length = 0;
    worker.control.length = 0;
    const { actor, event, payload, key } = command;
    const reply = await worker.send(actor, event, payload, key === null ? {} : { key });
    trace?.(reply);
    for (const control of worker.control) this.rooms.explain(control);
    this.judge({ command, reply, now: this.now, slices: worker.slices });
    for (const control of worker.control) this.rooms.raise(control);
  }

  #note(before: ModelState): void {
    for (const list of ['nodes', 'links'] as const) {
      const now = new Set(this.state[list].map(({ id }) => id));
      for (const { id } of before[list]) if (!now.has(id)) this.ghosts.push(id);
    }
  }

  /** Compares all that readers can ask for. */
  async look(worker: TestWorker, database: Database, pick: number): Promise<void> {
    const moment = { state: this.state, now: this.now };
    const tokens = [...this.rooms.tokens];
    await compareViews({
      ...{ worker, database, users: this.users, moment, tokens, pick },
      replicas: this.#replicas,
      learned: (user, more) => this.rooms.learned(user, more),
    });
  }
}
