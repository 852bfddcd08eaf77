// Runs random commands one after another on a worker with a real Neo4j, and compares each with the
// reference model.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { followSteps } from '@taskgraph/reference-model/comparison/sequence';
import type { Step } from '@taskgraph/reference-model/random/step';
import type { ModelUser } from '@taskgraph/reference-model/state';
import type { startTestWorker } from '../support/harness.ts';
import { wholeHistory } from './checked-reads.ts';
import { WorkerComparison } from './comparison.ts';
import { maintain } from './maintenance.ts';
import { told } from './users.ts';

export interface RunOptions {
  readonly database: Database;
  readonly users: readonly ModelUser[];
  readonly start: typeof startTestWorker;
  /** The views of all readers are compared after this number of commands, and at the end. */
  readonly viewEvery: number;
  /** Whether some of the commands become composites of several operations. */
  readonly composites?: boolean;
  /** Called after each command that agreed. */
  readonly onCommand?: () => void;
  /** Takes a line for each command and its answer. */
  readonly trace?: (line: string) => void;
}

/** Milliseconds ahead of the clock that creates users. */
const AHEAD = 3_600_000;

/** Throws a `Difference` at the first one. */
export async function runSequence(steps: readonly Step[], options: RunOptions): Promise<void> {
  const { database, users, viewEvery } = options;
  const clock = { ms: Date.now() + AHEAD };
  const subject = options.start(database, { nowMs: () => clock.ms, horizon: wholeHistory });
  const comparison = new WorkerComparison(users);
  comparison.composites = options.composites === true;
  comparison.queues = true;
  const ids = users.map(({ id }) => id);
  await followSteps(steps, {
    comparison,
    subject,
    clock,
    trace: (index, command, reply) => options.trace?.(`${index} ${told(command, reply)}`),
    async onStep(index, { kind }) {
      const isCommand = kind === 'command';
      if (isCommand) options.onCommand?.();
      if (isCommand && (index + 1) % (2 * viewEvery) === 0) await maintain(database, ids);
      const isLast = index === steps.length - 1;
      const looks = isLast || (isCommand && (index + 1) % viewEvery === 0);
      await comparison.glance(subject, index);
      if (looks) await comparison.look(subject, database, steps[index]?.a ?? 0);
    },
  });
}
