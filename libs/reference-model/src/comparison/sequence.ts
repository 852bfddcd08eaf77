// Runs random commands on a subject, one after another, and compares each with the reference model.
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { DrawnCommand, DrawnStep, Step } from '../random/step.ts';
import { draw } from '../random/steps.ts';
import type { Comparison, Subject } from './comparison.ts';

export interface SequenceOptions {
  readonly comparison: Comparison;
  readonly subject: Subject;
  /** The subject's clock, which a sequence moves. */
  readonly clock: { ms: number };
  /** Called after each step: a wait, or a command without a difference. */
  readonly onStep?: (index: number, drawn: DrawnStep) => Promise<void> | void;
  readonly trace?: (index: number, command: DrawnCommand, reply: ReplyMessage) => void;
}

/** A difference, with its step. */
export class Difference extends Error {
  readonly step: number;

  constructor(step: number, cause: unknown) {
    super(`step ${step}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.step = step;
  }
}

/**
 * Throws a `Difference` at the first one. Other errors are faults of the test, and are thrown with
 * their step.
 */
export async function followSteps(steps: readonly Step[], options: SequenceOptions): Promise<void> {
  const { comparison, subject, clock } = options;
  for (const [index, step] of steps.entries()) {
    try {
      const command = draw(step, { ...comparison, users: comparison.users, serial: index });
      clock.ms += command.kind === 'wait' ? command.ms : 1;
      comparison.wait(new Date(clock.ms).toISOString());
      if (command.kind === 'command') {
        await comparison.perform(subject, command, (reply) => options.trace?.(index, command, reply));
        if (command.key !== null) comparison.keyed.push(command);
      }
      await options.onStep?.(index, command);
    } catch (error) {
      if (error instanceof Error && error.name === 'AssertionError') throw new Difference(index, error);
      throw new Error(`step ${index} could not be compared`, { cause: error });
    }
  }
}
