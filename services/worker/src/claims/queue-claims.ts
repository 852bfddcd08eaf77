// Runs claims without an id: gives each the next candidates of its queue, until one is taken or
// none is left. Rules: CLAIM1, CLAIM2, CLAIM4.
//
// Reading the queue refuses no claim: the decision gets the refusal in place of candidates, and
// answers a repeated key before it looks at them.
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import type { ClaimCandidates } from '@taskgraph/commands/define-command';
import { createConcurrencyLimit } from '@taskgraph/runtime/concurrency-limit';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { countedUser } from '@taskgraph/wire/actor';
import { refusalReply } from '@taskgraph/wire/bus/calls';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { QueueClaims } from '../commit/command-handler.ts';
import type { Job } from '../commit/job.ts';
import type { ReadEnvironment } from '../reads/read-handler.ts';
import { ClaimQueue } from './claim-queue.ts';
import { openQueue, type QueueRequest } from './read-queue.ts';

/** Candidates of the first decision, and of the further ones. */
const FIRST_CANDIDATES = 1;
const CANDIDATES = 8;
/** Decisions of one claim. */
const MOST_ROUNDS = 16;
/** Queues that are read at once, and that wait for it. */
const READS_AT_ONCE = 2;
const WAITING_READS = 200;
/** Claims in progress. Further ones are refused. */
const MOST_CLAIMS = 2_000;
/** Queues with claims in progress, of all users and of one. Each has up to 20,000 ids. */
const MOST_QUEUES = 64;
const MOST_QUEUES_OF_USER = 16;

interface ActiveQueue {
  readonly key: string;
  readonly user: string;
  readonly queue: ClaimQueue;
  /** The newest claim, whose deadline bounds the next read. */
  message: Job['message'];
}

type Environment = ReadEnvironment & { readonly log: Log };

export function createQueueClaims(environment: Environment): QueueClaims {
  const limit = createConcurrencyLimit({ atOnce: READS_AT_ONCE, waiting: WAITING_READS });
  const queues = new Map<string, ActiveQueue>();
  let running = 0;

  /** The queue of a claim; null if there are too many. An idle queue is dropped. */
  const queueOf = ({ message, payload }: Job): ActiveQueue | null => {
    const { root, where } = payload as Pick<QueueRequest, 'root' | 'where'>;
    const key = JSON.stringify([message.actor.id, root, where]);
    const known = queues.get(key);
    if (known !== undefined) {
      known.message = message;
      return known;
    }
    const user = countedUser(message.actor);
    const own = [...queues.values()].filter((other) => other.user === user);
    if (queues.size >= MOST_QUEUES || own.length >= MOST_QUEUES_OF_USER) return null;
    const request = { actor: message.actor, root, where };
    const open = async () => {
      const opened = await limit(() => openQueue(request, environment, active.message));
      // The limit itself knows nothing of outcomes.
      return isRefusal(opened) && opened.code === 'unavailable' ? busy : opened;
    };
    const queue = new ClaimQueue({ open });
    const active: ActiveQueue = { key, user, queue, message };
    queues.set(key, active);
    return active;
  };

  const claim = async (job: Job, deliver: (job: Job) => void): Promise<Reply> => {
    const active = queueOf(job);
    // A repeated key gets its first answer all the same.
    if (active === null) return decided(job, tooMany, deliver);
    const visit = active.queue.visit({ isDry: job.dryRun });
    try {
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const ids = await visit.next(round === 0 ? FIRST_CANDIDATES : CANDIDATES);
        const candidates = isRefusal(ids) ? ids : { ids };
        const reply = await decided(job, candidates, deliver);
        if (isRefusal(candidates) || candidates.ids.length === 0 || !tookNothing(reply)) return reply;
      }
      return refusalReply(contended);
    } finally {
      visit.end();
      if (active.queue.isIdle && queues.get(active.key) === active) queues.delete(active.key);
    }
  };

  return {
    concern: ({ message, payload }) => message.event === 'node:claim' && payload.id === undefined,
    async run(job, deliver) {
      if (running >= MOST_CLAIMS) return job.answer(refusalReply(tooMany));
      running++;
      const reply = await claim(job, deliver).catch((error: unknown) => {
        environment.log.error({ error }, 'a claim could not be answered');
        return refusalReply(failed);
      });
      running--;
      job.answer(reply);
    },
  };
}

/** The answer to a claim with these candidates. */
function decided(job: Job, candidates: ClaimCandidates, deliver: (job: Job) => void): Promise<Reply> {
  return new Promise((answer) => deliver({ ...job, candidates, answer }));
}

/** Whether no candidate could be claimed. A stored answer has a batch; a dry run has none. */
function tookNothing(reply: Reply): boolean {
  if ('encoded' in reply || !reply.ok) return false;
  const { node, diff } = reply.body as { readonly node?: unknown; readonly diff?: { readonly batchId?: unknown } };
  return node === null && diff?.batchId === null;
}

function notDone(message: string): Refusal {
  return refuse('unavailable', message, { outcome: 'not_done' });
}

const contended = notDone('Other claims took every node that this one tried; try again.');
const tooMany = notDone('Too many claims are in progress; try again.');
const busy = notDone('The queue could not be read now; try again.');
const failed = refuse('internal.exception', 'An unexpected failure.', { outcome: 'unknown' });
