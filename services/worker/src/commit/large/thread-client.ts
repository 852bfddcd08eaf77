// The worker's side of its thread for large commands (thread.ts).

import { Worker } from 'node:worker_threads';
import type { Failure } from '@taskgraph/graph-store/driver/failures';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { refusalReply } from '@taskgraph/wire/bus/calls';
import type { Expiration } from '@taskgraph/wire/bus/expirations';
import type { ControlMessage } from '@taskgraph/wire/bus/feed-messages';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { refuse } from '@taskgraph/wire/errors';
import { inGroupSpan } from '../group-span.ts';
import type { Job } from '../job.ts';
import type { FromThread, LargeSettings, ToThread } from './messages.ts';

interface LargeThreadOptions {
  readonly settings: LargeSettings;
  /** The script of the thread; defaults to `thread`. */
  readonly script?: URL;
  /** Flags of Node for the thread; default to those of the process. */
  readonly flags?: string[];
  /** Maximum megabytes of the thread's memory. Beyond that, the thread and its command end. */
  readonly memoryMb: number;
  readonly log: Log;
  /** Publishes a command's slices, which are packed. */
  readonly publish: (packed: {
    readonly slices: readonly Uint8Array[];
    readonly count: number;
    readonly control: ControlMessage;
    readonly expirations: readonly Expiration[];
  }) => void;
  readonly onUnpublished: (error: unknown) => void;
  readonly onFailure: (failure: Failure) => void;
  readonly onLate: () => void;
  readonly onAhead: (aheadMs: number) => void;
  /** Milliseconds by which this machine's clock is ahead of the corrected clock. */
  readonly aheadMs: () => number;
}

export interface LargeThread {
  /** Commits a command and answers it; one at a time. It does not reject. */
  commit(job: Job): Promise<void>;
  /** Ends the thread. No command may be in progress. */
  stop(): Promise<void>;
}

const SCRIPT = new URL('./thread.js', import.meta.url);
const STOP_LIMIT_MS = 2_000;

/** Starts the thread. If it ends unexpectedly, the next command starts it again. */
export function openLargeThread(options: LargeThreadOptions): LargeThread {
  let thread: Worker | null = null;
  let atWork: { readonly job: Job; readonly done: () => void } | null = null;

  const post = (to: Worker, message: ToThread) => to.postMessage(message);

  const start = (): Worker => {
    const started = new Worker(options.script ?? SCRIPT, {
      workerData: options.settings,
      ...definedFields({ execArgv: options.flags }),
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb },
    });
    started.on('message', (message: FromThread) => take(message, started));
    started.on('error', (error) => options.log.error({ error }, 'the thread for large commands failed'));
    started.on('exit', () => {
      if (thread === started) thread = null;
      if (atWork === null) return;
      // It may have committed; the command's key shows whether it did.
      const refusal = refuse('unavailable', 'The command was interrupted; try again.', { outcome: 'unknown' });
      atWork.job.answer(refusalReply(refusal));
      atWork.done();
    });
    return started;
  };

  const take = (message: FromThread, from: Worker) => {
    if (message.kind === 'published') options.publish(message);
    else if (message.kind === 'unpublished') options.onUnpublished(message.error);
    else if (message.kind === 'failed') options.onFailure(message.failure);
    else if (message.kind === 'late') options.onLate();
    else if (message.kind === 'ahead') options.onAhead(message.aheadMs);
    else if (message.kind === 'asked') post(from, { isLeaseHeld: atWork?.job.isLeaseHeld?.() ?? true });
    else if (message.kind === 'refused') atWork?.job.answer(message.reply);
    else if (message.kind === 'answered') atWork?.job.answer({ encoded: message.encoded });
    else atWork?.done();
  };

  /** If the thread can't start, the command is refused, and the next command tries again. */
  const tryStart = (job: Job): Worker | null => {
    try {
      return start();
    } catch (error) {
      options.log.error({ error }, 'the thread for large commands could not be started');
      const refusal = refuse('unavailable', 'The command could not start; try again.', { outcome: 'not_done' });
      job.answer(refusalReply(refusal));
      return null;
    }
  };

  thread = start();

  return {
    commit: (job) =>
      inGroupSpan([job], async () => {
        const running = thread ?? tryStart(job);
        if (running === null) return;
        thread = running;
        const { message, candidates } = job;
        await new Promise<void>((done) => {
          atWork = { job, done };
          post(running, { message, candidates, clockAheadMs: options.aheadMs() });
        });
        atWork = null;
      }),
    async stop() {
      const ending = thread;
      if (ending === null) return;
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      post(ending, null);
      const limit = setTimeout(() => void ending.terminate(), STOP_LIMIT_MS);
      await ended;
      clearTimeout(limit);
    },
  };
}
