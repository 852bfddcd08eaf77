// Runs claims without an id: gives each the next candidates of its queue, until one is taken or
// none is left. Rules: CLAIM1, CLAIM2, CLAIM4, AUTH2.
//
// 1. Reading the queue refuses no claim: the decision gets the refusal in place of candidates, and
//    answers a repeated key before it looks at them.
// 2. Nothing is stored while a claim waits for its queue. The wait ends when the sender has given
//    up, and when the partition moves to another worker.
// 3. A claim whose token ended while it waited is refused before it is decided (AUTH2).
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import type { ClaimCandidates } from '@taskgraph/commands/define-command';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { countedUser } from '@taskgraph/wire/actor';
import { refusalReply } from '@taskgraph/wire/bus/calls';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { QueueClaims } from '../commit/command-handler.ts';
import { LOCKED_OUT } from '../commit/committer.ts';
import { type Job, MOVED } from '../commit/job.ts';
import type { ReadGates } from '../reads/read-gates.ts';
import type { ReadEnvironment } from '../reads/read-handler.ts';
import { ClaimQueue } from './claim-queue.ts';
import { type PlaceTicket, QueuePlaces } from './queue-places.ts';
import { openQueue, type QueueRequest } from './read-queue.ts';
import { createTokenCheck } from './token-check.ts';

/** Candidates of the first decision, and of those after a locked owner; and of the further ones. */
const FIRST_CANDIDATES = 1;
const CANDIDATES = 8;
/** Decisions of one claim. */
const MOST_ROUNDS = 16;
/** Claims in progress of all users, and of one with their bots. Further ones are refused. */
const MOST_CLAIMS = 2_000;
const MOST_CLAIMS_OF_USER = 200;
/** Queues with claims in progress. Each has up to 20,000 ids. Claims of further ones wait. */
const MOST_QUEUES = 64;
const MOST_QUEUES_OF_USER = 16;

/** A timer of more milliseconds would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface ActiveQueue {
  readonly queue: ClaimQueue;
  /** The newest claim: its user as they are now, and the deadline of the next read. */
  message: Job['message'];
}

type Ticket = PlaceTicket<ActiveQueue>;
type Environment = ReadEnvironment & { readonly log: Log; readonly gates: Pick<ReadGates, 'passQueue'> };
type Deliver = (job: Job) => void;

export function createQueueClaims(environment: Environment): QueueClaims {
  const { gates, nowMs } = environment;
  const places = new QueuePlaces<ActiveQueue>({ most: MOST_QUEUES, mostOfUser: MOST_QUEUES_OF_USER, nowMs });
  const running = createCounter();

  const ticketOf = ({ message, payload }: Job): Ticket => {
    const { root, where } = payload as Pick<QueueRequest, 'root' | 'where'>;
    const create = () => {
      const source = {
        request: () => ({ actor: active.message.actor, root, where }),
        call: () => active.message,
        // The gates know nothing of outcomes.
        inTurn: async <T extends object>(
          work: () => Promise<T | Refusal>,
          bytesOf: (result: T | Refusal) => number,
        ) => {
          const result = await gates.passQueue(active.message.actor, work, bytesOf);
          return isRefusal(result) && result.code === 'unavailable' ? busy : result;
        },
      };
      const active: ActiveQueue = { queue: new ClaimQueue({ open: () => openQueue(source, environment) }), message };
      return active;
    };
    return places.take({
      key: JSON.stringify([message.actor.id, root, where]),
      user: countedUser(message.actor),
      create,
    });
  };

  const claim = async (job: Job, ticket: Ticket, deliver: Deliver): Promise<Reply> => {
    const token = createTokenCheck(environment, job);
    const place = await beforeEnd(ticket.place, job, nowMs);
    if (isOver(place) && place.over === 'moved') return MOVED;
    // Before its answer too: a repeated key would get the first one.
    const ended = await token.check();
    if (ended !== null) return refusalReply(ended);
    if (isOver(place)) return decided(job, busy, deliver);
    const { queue } = place.queue;
    place.queue.message = job.message;
    const cursor = queue.openCursor({ isDry: job.dryRun });
    let isLockedOut = false;
    try {
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const ids = await beforeEnd(
          cursor.next(round === 0 || isLockedOut ? FIRST_CANDIDATES : CANDIDATES),
          job,
          nowMs,
        );
        if (isOver(ids)) return ids.over === 'moved' ? MOVED : refusalReply(busy);
        const refused = await token.check();
        if (refused !== null) return refusalReply(refused);
        // The nodes of locked owners may be free.
        const candidates = isRefusal(ids) ? ids : ids.length === 0 && isLockedOut ? busy : { ids };
        const reply = await decided(job, candidates, deliver);
        if (isRefusal(candidates) || candidates.ids.length === 0) return reply;
        if (reply === LOCKED_OUT) {
          isLockedOut = true;
          cursor.reportLocked(candidates.ids);
        } else if (!tookNothing(reply)) return reply;
      }
      return refusalReply(contended);
    } finally {
      cursor.close();
    }
  };

  const answerTo = async (job: Job, deliver: Deliver): Promise<Reply> => {
    const user = countedUser(job.message.actor);
    // A repeated key gets its first answer all the same.
    if (running.total() >= MOST_CLAIMS || running.of(user) >= MOST_CLAIMS_OF_USER)
      return decided(job, tooMany, deliver);
    const leave = running.add(user);
    const ticket = ticketOf(job);
    try {
      return await claim(job, ticket, deliver);
    } finally {
      ticket.end();
      leave();
    }
  };

  return {
    concern: ({ message, payload }) => message.event === 'node:claim' && payload.id === undefined,
    async run(job, deliver) {
      const reply = await answerTo(job, deliver).catch((error: unknown) => {
        environment.log.error({ error }, 'a claim could not be answered');
        return refusalReply(failed);
      });
      job.answer(reply);
    },
  };
}

function createCounter() {
  const numbers = new Map<string, number>();
  let total = 0;
  const of = (key: string) => numbers.get(key) ?? 0;
  return {
    of,
    total: () => total,
    /** Returns the function that subtracts it again. */
    add(key: string): () => void {
      numbers.set(key, of(key) + 1);
      total++;
      return () => {
        total--;
        if (of(key) > 1) numbers.set(key, of(key) - 1);
        else numbers.delete(key);
      };
    },
  };
}

/** Why a wait ended without a result. */
interface Over {
  readonly over: 'moved' | 'late';
}

function isOver(value: object): value is Over {
  return 'over' in value;
}

/** The result of the work, unless the claim's deadline passes or its partition moves before. */
async function beforeEnd<T extends object>(
  work: Promise<T>,
  { message, stopping }: Pick<Job, 'message' | 'stopping'>,
  nowMs: () => number,
): Promise<T | Over> {
  if (stopping?.aborted) return { over: 'moved' };
  let stop: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<Over>((resolve) => {
    stop = () => resolve({ over: 'moved' });
    const leftMs = Math.min(message.deadline - nowMs(), LONGEST_TIMER_MS);
    timer = setTimeout(() => resolve({ over: 'late' }), Math.max(0, leftMs));
  });
  stopping?.addEventListener('abort', stop);
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    stopping?.removeEventListener('abort', stop);
  }
}

/** The answer to a claim with these candidates. */
function decided(job: Job, candidates: ClaimCandidates, deliver: Deliver): Promise<Reply> {
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
