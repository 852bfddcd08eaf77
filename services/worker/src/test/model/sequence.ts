// Runs random commands one after another on a worker with a real Neo4j, and has each judged.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ModelUser } from '@taskgraph/testkit/model/state';
import type { startTestWorker } from '../support/harness.ts';
import { told } from './cast.ts';
import { Judge } from './comparison.ts';
import type { Step } from './step.ts';
import { draw } from './steps.ts';
import { lookAfter } from './system.ts';

export interface SequenceOptions {
  readonly database: Database;
  readonly users: readonly ModelUser[];
  readonly start: typeof startTestWorker;
  /** All readers' views are compared after so many commands, and at the end. */
  readonly viewEvery: number;
  /** Called after each command that agreed. */
  readonly onCommand?: () => void;
  /** Takes a line for each command and its answer. */
  readonly trace?: (line: string) => void;
}

/** Ahead of the clock by which users are made, milliseconds. */
const AHEAD = 3_600_000;

/** A difference, with the step at which it showed. */
export class Difference extends Error {
  readonly step: number;

  constructor(step: number, cause: unknown) {
    super(`step ${step}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.step = step;
  }
}

/** Throws a `Difference` at the first one; what else goes wrong is a fault of the test, and thrown with its step. */
export async function runSequence(steps: readonly Step[], options: SequenceOptions): Promise<void> {
  const at = { step: 0 };
  try {
    await follow(steps, options, at);
  } catch (error) {
    if (error instanceof Error && error.name === 'AssertionError') throw new Difference(at.step, error);
    throw new Error(`step ${at.step} could not be judged`, { cause: error });
  }
}

async function follow(steps: readonly Step[], options: SequenceOptions, at: { step: number }): Promise<void> {
  const { database, users, viewEvery } = options;
  let clock = Date.now() + AHEAD;
  const worker = options.start(database, { nowMs: () => clock });
  const judge = new Judge(users);
  for (const [index, step] of steps.entries()) {
    at.step = index;
    const command = draw(step, { ...judge, users, serial: index });
    clock += command.kind === 'wait' ? command.ms : 1;
    judge.wait(new Date(clock).toISOString());
    if (command.kind === 'wait') continue;
    await judge.perform(worker, command, (reply) => {
      options.trace?.(`${index} ${told(command, reply)}`);
    });
    if (command.key !== null) judge.keyed.push(command);
    options.onCommand?.();
    if ((index + 1) % (2 * viewEvery) === 0) await lookAfter(database);
    if ((index + 1) % viewEvery === 0) await judge.look(worker, database, step.a);
  }
  await judge.look(worker, database, steps.at(-1)?.a ?? 0);
}
