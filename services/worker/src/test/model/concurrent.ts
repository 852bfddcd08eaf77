// Eight concurrent clients on two workers. Their commands must equal a serial order: the order of
// the groups' decisions, which are made under locks. The reference model replays them in that
// order, refusals included.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { Step } from '@taskgraph/reference-model/random/step';
import { draw } from '@taskgraph/reference-model/random/steps';
import type { ModelUser } from '@taskgraph/reference-model/state';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { ControlMessage, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import type { GroupOutcome } from '../../commit/group-environment.ts';
import type { Job } from '../../commit/job.ts';
import type { startTestWorker, TestWorker } from '../support/harness.ts';
import { limitOf, wholeHistory } from './checked-reads.ts';
import { WorkerComparison } from './comparison.ts';
import { told } from './users.ts';

const CLIENTS = 8;
/**
 * Commands of one client between two comparisons. Meanwhile it uses its knowledge from the last
 * one, as clients do.
 */
const BURST = 5;
const AHEAD = 3_600_000;
/**
 * Milliseconds between two reads while commands commit. A shorter pause would only slow them down.
 */
const BETWEEN_READS_MS = 20;

export interface ConcurrentOptions {
  readonly database: Database;
  readonly users: readonly ModelUser[];
  readonly start: typeof startTestWorker;
  readonly onCommand?: () => void;
  /** Takes a line for each command and its answer, in the order of their decisions. */
  readonly trace?: (line: string) => void;
}

interface Done extends GroupOutcome {
  readonly slices: readonly SliceMessage[];
  readonly control: readonly ControlMessage[];
}

/** Throws at the first difference. */
export async function runConcurrently(steps: readonly Step[], options: ConcurrentOptions): Promise<void> {
  const { database, users } = options;
  const clock = { ms: Date.now() + AHEAD };
  const done: Done[] = [];
  const workers = [0, 1].map(() => startRecorded(options, clock, done));
  const comparison = new WorkerComparison(users);
  for (let from = 0; from < steps.length; from += CLIENTS * BURST) {
    const burst = steps.slice(from, from + CLIENTS * BURST);
    const known = {
      state: comparison.state,
      now: new Date(clock.ms).toISOString(),
      ghosts: comparison.ghosts,
      keyed: [...comparison.keyed],
      queues: true,
    };
    const burstOver = { is: false };
    const read = readOn(workers[0] as TestWorker, users, from, burstOver);
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (let index = client; index < burst.length; index += CLIENTS) {
          const step = { ...(burst[index] as Step), by: client % users.length };
          const command = draw(step, { ...known, users, serial: from + index });
          clock.ms += command.kind === 'wait' ? command.ms : 1;
          if (command.kind === 'wait') continue;
          const { actor, event, payload, key } = command;
          if (key !== null) comparison.keyed.push(command);
          const reply = await (workers[client % 2] as TestWorker).send(
            actor,
            event,
            payload,
            key === null ? {} : { key },
          );
          if (!reply.ok && /^(unavailable|internal)/.test(reply.error)) assertNotDone(event, reply);
        }
      }),
    );
    burstOver.is = true;
    await read;
    replay(done.splice(0), comparison, options);
    comparison.wait(new Date(clock.ms).toISOString());
    await comparison.look(workers[0] as TestWorker, database, from);
  }
}

/**
 * Reads the pages of the next comparison while commands commit: a page read between two commits
 * must not be served from the cache after the second.
 */
async function readOn(
  worker: TestWorker,
  users: readonly ModelUser[],
  pick: number,
  over: { readonly is: boolean },
): Promise<void> {
  const limit = limitOf(pick);
  for (let turn = 0; !over.is; turn++) {
    const reader = users[turn % users.length] as ModelUser;
    for (let after: unknown = null; !over.is; ) {
      const page = await worker.ask(reader, 'graph:get', { limit, ...(after === null ? {} : { after }) });
      after = page.ok ? page.body.next : null;
      await sleep(BETWEEN_READS_MS);
      if (after === null) break;
    }
  }
}

/**
 * A command that did not get its locks in time has had no effect and is not replayed. Any other
 * failure is an error.
 */
function assertNotDone(event: string, reply: Extract<ReplyMessage, { ok: false }>): void {
  if (reply.details?.outcome !== 'not_done') throw new Error(`${event}: ${reply.error}, ${reply.message}`);
}

function startRecorded({ start, database }: ConcurrentOptions, clock: { ms: number }, done: Done[]): TestWorker {
  const worker = start(database, {
    nowMs: () => clock.ms,
    horizon: wholeHistory,
    onGroup: (group) => {
      done.push({ ...group, slices: worker.slices.splice(0), control: worker.control.splice(0) });
    },
  });
  return worker;
}

/**
 * A decision of a claim whose candidates other claims took: it changes nothing, and the claim goes on
 * with further ones. The answer that nothing is free depends on when the queue was read.
 */
function isOpenClaim({ message, payload }: Job, reply: ReplyMessage): boolean {
  if (message.event !== 'node:claim' || payload.id !== undefined) return false;
  if (!reply.ok) return reply.error === 'unavailable';
  return reply.body.node === null && (reply.body.diff as { readonly batchId?: unknown }).batchId === null;
}

/**
 * A group is decided after it has its locks and before it commits, so the order of decisions is a
 * serial order.
 */
function replay(done: Done[], comparison: WorkerComparison, { onCommand, trace }: ConcurrentOptions): void {
  done.sort((one, other) => one.decidedAtMs - other.decidedAtMs);
  for (const { replies, now, slices, control } of done) {
    const answered = [...replies]
      .filter(([job, reply]) => !isOpenClaim(job, reply))
      .map(([{ message }, reply]) => {
        const { actor, event, payload, key } = message;
        return { command: { actor, event, payload, key }, reply };
      });
    comparison.compareGroup(answered, { now, slices, control }, ({ command, reply }) => {
      trace?.(`${now} ${told(command, reply)}`);
      onCommand?.();
    });
  }
}
