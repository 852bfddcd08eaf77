// One waiting call, from its first read, which found no change, to its answer. A gateway has
// thousands, so a call is one object: while it waits, none of its functions is suspended. Rules:
// LONG1, LONG2.
import type { ActingUser } from '@taskgraph/wire/actor';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import type { Operation } from '@taskgraph/wire/operations/operation';
import type { Identity } from '../auth/token.ts';
import type { ObservedCall } from '../calls/call-observer.ts';
import type { Exchange } from '../http/exchange.ts';
import type { OpenRequest } from '../http/open-requests.ts';
import { answerUnchanged, type Reply, unchangedAnswerOf } from './unchanged-answer.ts';
import type { Heads, UserFollower, Waker } from './user-follower.ts';

/**
 * How long the last read may take, including the time in the queue. After the longest wait, proxies
 * still accept its answer.
 */
const LAST_READ_MS = 3_000;

/** A call that may wait. */
export interface WaitingRequest {
  readonly operation: Operation;
  readonly identity: Identity;
  /** The token as received, by which each read identifies the caller again. */
  readonly token: string | null;
  /** The client's address. */
  readonly ip: string;
  /** When its time is up, by `performance.now()`. */
  readonly untilMs: number;
  /** The field `fields`, which each read repeats. */
  readonly fields: unknown;
  readonly traceId: string;
  readonly within: ObservedCall['within'];
  readonly open: Pick<OpenRequest, 'pause'>;
  readonly client: Pick<Exchange, 'isGone' | 'onGone'>;
}

export interface WaitedReply {
  readonly reply: Reply;
  /** Milliseconds that the call waited. */
  readonly waitedMs: number;
}

/** What the calls of a gateway share. */
export interface WaitingHost {
  /** Counts the call for its user and address. Returns a refusal past a bound. */
  count(request: WaitingRequest): Promise<Refusal | null>;
  uncount(request: WaitingRequest): void;
  follow(user: ActingUser, waker: Waker): Promise<UserFollower | Refusal>;
  unfollow(user: ActingUser, follower: UserFollower, waker: Waker): void;
  /** Reads for the caller from a position. Null if the call no longer wants the answer. */
  read(call: WaitingCall, position: string): Promise<Reply | null>;
  /** Called once, when the call has its answer. */
  onEnd(call: WaitingCall): void;
  readonly log: { error(fields: object, message: string): void };
}

interface Outcome {
  readonly resolve: (waited: WaitedReply) => void;
  readonly reject: (error: unknown) => void;
}

export class WaitingCall implements Waker {
  readonly request: WaitingRequest;
  readonly #host: WaitingHost;
  readonly #outcome: Outcome;
  #position: string;
  #timer: NodeJS.Timeout;
  #follower: UserFollower | null = null;
  #isCounted = false;
  #isReading = false;
  #isOver = false;
  #isDone = false;
  /** When the present wait began; null during reads. */
  #waitsSinceMs: number | null = null;
  #waitedMs = 0;

  constructor(host: WaitingHost, request: WaitingRequest, position: string, outcome: Outcome) {
    this.#host = host;
    this.request = request;
    this.#position = position;
    this.#outcome = outcome;
    const waitMs = Math.max(0, request.untilMs - performance.now());
    this.#timer = setTimeout(timeIsUp, waitMs, this);
  }

  /** Whether its time is up. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it has its answer. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Begins to follow the feeds of the caller. `heads` are those of the first read. */
  begin(heads: Heads): void {
    this.#run(this.#follow(heads));
  }

  /** Reads again after a change, or at the end of its time. */
  wake(): void {
    if (this.#follower === null || this.#isReading || this.#isDone) return;
    this.#run(this.#read(this.#follower));
  }

  /** Ends the call early; only the first ending counts. A refusal is its answer. */
  end(refusal: Refusal | null): void {
    this.#finish(refusal ?? answerUnchanged(this.#position));
  }

  /** Called by the timer. */
  timeIsUp(): void {
    this.#isOver = true;
    this.#timer = setTimeout(end, LAST_READ_MS, this);
    this.wake();
  }

  async #follow(heads: Heads): Promise<void> {
    const { request } = this;
    const { user } = request.identity;
    const full = await this.#host.count(request);
    if (full !== null) return this.#finish(full);
    if (this.#isDone) return this.#host.uncount(request);
    this.#isCounted = true;
    const follower = await this.#host.follow(user, this);
    if (isRefusal(follower)) return this.#finish(follower);
    if (this.#isDone) return this.#host.unfollow(user, follower, this);
    this.#follower = follower;
    this.#wait(follower, { version: null, heads });
  }

  async #read(follower: UserFollower): Promise<void> {
    const { version } = follower;
    this.#isReading = true;
    this.#stopClock();
    const reply = await this.#host.read(this, this.#position);
    if (this.#isDone || reply === null) return;
    this.#isReading = false;
    if (isUnavailable(reply)) {
      // Nothing is lost: the call reads again later.
      if (this.#isOver) this.end(null);
      else this.#wait(follower, { version, heads: null });
      return;
    }
    const unchanged = unchangedAnswerOf(reply);
    if (unchanged === null || this.#isOver) return this.#finish(reply);
    this.#position = unchanged.position;
    this.#wait(follower, { version, heads: unchanged.heads });
  }

  /**
   * Waits for the next change. If the follower has learnt of one since `version` that the last read
   * with `heads` does not contain, the call reads again soon.
   */
  #wait(follower: UserFollower, { version, heads }: { version: number | null; heads: Heads | null }): void {
    this.#waitsSinceMs = performance.now();
    const isOutdated = version !== follower.version && (heads === null || !follower.isCoveredBy(heads, this));
    if (this.#isOver) this.wake();
    else if (isOutdated) follower.wakeSoon(this);
  }

  #finish(reply: Reply): void {
    if (this.#isDone) return;
    this.#release();
    this.#outcome.resolve({ reply, waitedMs: this.#waitedMs });
  }

  #run(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (this.#isDone) return this.#host.log.error({ error }, 'a waiting call failed after its end');
      this.#release();
      this.#outcome.reject(error);
    });
  }

  #release(): void {
    this.#isDone = true;
    clearTimeout(this.#timer);
    this.#stopClock();
    const { request } = this;
    if (this.#isCounted) this.#host.uncount(request);
    if (this.#follower !== null) this.#host.unfollow(request.identity.user, this.#follower, this);
    this.#host.onEnd(this);
  }

  #stopClock(): void {
    if (this.#waitsSinceMs !== null) this.#waitedMs += performance.now() - this.#waitsSinceMs;
    this.#waitsSinceMs = null;
  }
}

const timeIsUp = (call: WaitingCall) => call.timeIsUp();
const end = (call: WaitingCall) => call.end(null);

/** Whether the workers are too busy for a read. */
function isUnavailable(reply: Reply): boolean {
  if (isRefusal(reply)) return reply.code === 'unavailable';
  return !('json' in reply) && !reply.ok && reply.error === 'unavailable';
}
