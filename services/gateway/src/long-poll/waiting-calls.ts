// Answers calls of `changes:get` with `wait`, and delays an answer without changes until something
// changes. While a call waits, it uses no worker. The user's follower wakes it; then it reads
// again, as a new call of its caller would. Rules: LONG1, LONG2, AUTH2, LIM4.
//
// No change is lost: the follower subscribes before a call compares its heads with the follower's
// numbers, and a call always reads at the end of its time.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Identity } from '../auth/token.ts';
import type { Exchange } from '../http/exchange.ts';
import type { OpenRequest } from '../http/open-requests.ts';
import type { TokenWatch } from '../realtime/token-watch.ts';
import type { ConnectionQuotas } from '../socket/connection-quotas.ts';
import type { Followers } from './followers.ts';
import { createReadTurns } from './read-turns.ts';
import { answerUnchanged, type Reply, type UnchangedAnswer, unchangedAnswerOf } from './unchanged-answer.ts';
import type { UserFollower } from './user-follower.ts';
import { type Ended, type Ending, isEnded, WaitingCall, type WaitingLog } from './waiting-call.ts';

/** Most reads of woken calls at once, and of one user. A change of a popular branch wakes many. */
const READS_AT_ONCE = 32;
const READS_OF_USER = 2;

/** Most bytes of all waiting calls. A position stays in memory with the heads that it contains. */
const MOST_BYTES = 128 * 1024 * 1024;
const COPIES_OF_POSITION = 3;

interface WaitingCallsOptions {
  readonly followers: Pick<Followers, 'follow' | 'unfollow'>;
  readonly tokens: Pick<TokenWatch, 'enter' | 'leave'>;
  /** Bounds the waiting calls of a user and of an address. */
  readonly quotas: Pick<ConnectionQuotas<'waiting'>, 'take' | 'leave'>;
  /** The most waiting calls of the gateway. */
  readonly most: number;
  readonly log: WaitingLog;
}

/** A call that may wait. */
export interface WaitingRequest {
  readonly identity: Identity;
  /** The client's address. */
  readonly ip: string;
  readonly waitMs: number;
  /** The approximate size of the payload, which stays in memory. */
  readonly payloadBytes: number;
  /** Reads from the position that the call names. */
  readonly read: () => Promise<Reply>;
  /** Identifies the caller again, and reads from another position. */
  readonly readFrom: (position: string) => Promise<Reply>;
  readonly open: Pick<OpenRequest, 'pause'>;
  readonly client: Pick<Exchange, 'isGone' | 'onGone'>;
}

export interface WaitedReply {
  readonly reply: Reply;
  /** Milliseconds that the call waited. */
  readonly waitedMs: number;
}

export type WaitingCalls = ReturnType<typeof createWaitingCalls>;

export function createWaitingCalls({ followers, tokens, quotas, most, log }: WaitingCallsOptions) {
  const calls = new Set<WaitingCall>();
  const turns = createReadTurns(READS_AT_ONCE, READS_OF_USER);
  const refused = { waiting: 0 };
  let isDraining = false;
  let bytes = 0;

  /** Reads when it is the call's turn. */
  async function readInTurn(
    call: WaitingCall,
    { identity, readFrom }: WaitingRequest,
    position: string,
  ): Promise<Reply | Ended> {
    const turn = turns.take(identity.user.id);
    await call.untilTurn(turn.ready);
    let hasBegun = false;
    const outcome = call.during(() => {
      hasBegun = true;
      // A read that a call has left still counts.
      return readFrom(position).finally(turn.end);
    });
    if (!hasBegun) turn.end();
    return outcome;
  }

  /** Reads again whenever the follower wakes the call, until an answer reports a change. */
  async function readWhenMoved(
    call: WaitingCall,
    follower: UserFollower,
    request: WaitingRequest,
    first: UnchangedAnswer,
  ): Promise<Reply | Ended> {
    let last = first;
    let version: number | null = null;
    for (;;) {
      const isOutdated = version !== follower.version && !follower.isCoveredBy(last.heads, call.wake);
      if (isOutdated) follower.wakeSoon(call.wake);
      const signal = await call.next();
      if (isEnded(signal)) return signal;
      version = follower.version;
      const { position } = last;
      const reply = await readInTurn(call, request, position);
      if (isEnded(reply)) return reply;
      if (isUnavailable(reply)) {
        if (call.isOver) return answerUnchanged(position);
        continue;
      }
      const unchanged = unchangedAnswerOf(reply);
      if (unchanged === null || call.isOver) return reply;
      last = unchanged;
    }
  }

  async function follow(call: WaitingCall, request: WaitingRequest, first: UnchangedAnswer): Promise<Reply> {
    const { user } = request.identity;
    const following = followers.follow(user, call.wake);
    const release = () =>
      following.then((follower) => {
        if (!isRefusal(follower)) followers.unfollow(user, follower, call.wake);
      });
    try {
      const follower = await call.during(() => following);
      if (isEnded(follower)) return replyOf(follower.ending, first);
      if (isRefusal(follower)) return follower;
      const outcome = await readWhenMoved(call, follower, request, first);
      return isEnded(outcome) ? replyOf(outcome.ending, first) : outcome;
    } finally {
      void release().catch((error: unknown) => log.error({ error }, 'the feeds of a waiting call failed'));
    }
  }

  /** Waits if the bounds allow it. Releases all resources at the end. */
  async function wait(request: WaitingRequest, untilMs: number, first: UnchangedAnswer): Promise<WaitedReply> {
    const ownBytes = request.payloadBytes + COPIES_OF_POSITION * first.position.length;
    if (calls.size >= most || bytes + ownBytes > MOST_BYTES) {
      refused.waiting++;
      return { reply: tooMany, waitedMs: 0 };
    }
    const call = new WaitingCall(Math.max(0, untilMs - performance.now()), log);
    calls.add(call);
    bytes += ownBytes;
    const holder = { ip: request.ip, user: request.identity.user.id };
    const resume = request.open.pause();
    const watched = tokens.enter(request.identity, () => call.end(tokenEnded));
    request.client.onGone(() => call.end('gone'));
    const taking = quotas.take(holder);
    try {
      const full = await call.during(() => taking);
      if (isEnded(full)) return { reply: replyOf(full.ending, first), waitedMs: 0 };
      const reply = full ?? (await follow(call, request, first));
      return { reply, waitedMs: call.waitedMs };
    } finally {
      call.close();
      calls.delete(call);
      bytes -= ownBytes;
      resume();
      tokens.leave(watched);
      void leaveQuota(taking, holder);
    }
  }

  async function leaveQuota(taking: Promise<Refusal | null>, holder: { ip: string; user: string }): Promise<void> {
    try {
      if ((await taking) === null) quotas.leave(holder);
    } catch (error) {
      log.error({ error }, 'a waiting call could not be counted');
    }
  }

  return {
    /**
     * Answers a call: at once if something has changed, otherwise when something changes or the
     * time is up.
     */
    async answer(request: WaitingRequest): Promise<WaitedReply> {
      const untilMs = performance.now() + request.waitMs;
      const reply = await request.read();
      const first = unchangedAnswerOf(reply);
      if (first === null || isDraining || request.client.isGone()) return { reply, waitedMs: 0 };
      return wait(request, untilMs, first);
    },
    /** Answers all calls. Later calls do not wait. */
    drain(): void {
      isDraining = true;
      for (const call of calls) call.end('drained');
    },
    count: () => calls.size,
    refused,
  };
}

/**
 * The refusal of an ended token; otherwise an empty answer, whose position the client continues
 * from.
 */
function replyOf(ending: Ending, { position }: UnchangedAnswer): Reply {
  return isRefusal(ending) ? ending : answerUnchanged(position);
}

/** Whether the workers are too busy for a read. Nothing is lost: the call reads again later. */
function isUnavailable(reply: Reply): boolean {
  if (isRefusal(reply)) return reply.code === 'unavailable';
  return !('json' in reply) && !reply.ok && reply.error === 'unavailable';
}

const tokenEnded = refuse('unauthorized', 'The token is missing, wrong or no longer valid.');
const tooMany = refuse('unavailable', 'Too many calls wait for changes. Try again soon.');
