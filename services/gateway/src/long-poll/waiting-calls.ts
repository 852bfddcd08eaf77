// Answers calls of `changes:get` with `wait`, and delays an answer without changes until something
// changes. While a call waits, it uses no worker. The user's follower wakes it; then it reads
// again, as a new call of its caller would. Rules: LONG1, LONG2, ACL7, AUTH2, LIM4.
//
// No change is lost: the follower subscribes before a call compares its heads with the follower's
// numbers, and a call always reads at the end of its time.
import { countedUser } from '@taskgraph/wire/actor';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { scopesOf } from '@taskgraph/wire/scopes';
import type { Authenticate } from '../auth/authentication.ts';
import type { Dispatch } from '../calls/dispatch.ts';
import type { TokenWatch, WatchedSocket } from '../realtime/token-watch.ts';
import type { ConnectionQuotas, QuotaHolder } from '../socket/connection-quotas.ts';
import type { Followers } from './followers.ts';
import { createSharedReads } from './shared-reads.ts';
import { type Reply, type UnchangedAnswer, unchangedAnswerOf } from './unchanged-answer.ts';
import { type WaitedReply, WaitingCall, type WaitingHost, type WaitingRequest } from './waiting-call.ts';

/** Most reads of woken calls at once, and of one user. A change of a popular branch wakes many. */
const READS_AT_ONCE = 32;
const READS_OF_USER = 2;
/** Most last reads at once. They have a queue of their own, so that they delay no woken call. */
const LAST_READS_AT_ONCE = 8;

/** Most bytes of all waiting calls. A position is long if its reader sees many feeds. */
const MOST_BYTES = 128 * 1024 * 1024;
/** Bytes of a call, besides its position. */
const CALL_BYTES = 6 * 1024;

interface WaitingCallsOptions {
  readonly followers: Pick<Followers, 'follow' | 'unfollow'>;
  readonly tokens: Pick<TokenWatch, 'enter' | 'leave'>;
  /** Bounds the waiting calls of a user and of an address. */
  readonly quotas: Pick<ConnectionQuotas<'waiting'>, 'take' | 'leave'>;
  /** The most waiting calls of the gateway. */
  readonly most: number;
  readonly authenticate: Authenticate;
  readonly dispatch: Dispatch;
  readonly log: WaitingHost['log'];
}

export type WaitingCalls = ReturnType<typeof createWaitingCalls>;

/** The first read of a call found no change, so the call waits. */
export interface Wait {
  readonly request: WaitingRequest;
  readonly first: UnchangedAnswer;
}

/** The resources of a waiting call. */
interface Registration {
  readonly bytes: number;
  readonly watched: WatchedSocket;
  readonly resume: () => void;
}

export function createWaitingCalls(options: WaitingCallsOptions) {
  const { followers, tokens, quotas, most, authenticate, dispatch, log } = options;
  const calls = new Map<WaitingCall, Registration>();
  const reads = createSharedReads<Reply>(READS_AT_ONCE, READS_OF_USER);
  const lastReads = createSharedReads<Reply>(LAST_READS_AT_ONCE, READS_OF_USER);
  const refused = { waiting: 0 };
  let isDraining = false;
  let bytes = 0;

  const host: WaitingHost = {
    count: (request) => quotas.take(holderOf(request)),
    uncount: (request) => quotas.leave(holderOf(request)),
    follow: followers.follow,
    unfollow: followers.unfollow,
    /**
     * Each call identifies its caller, again after the read, which may have waited for its turn.
     * Calls of one user with equal scopes from one position share the read itself.
     */
    async read(call, position) {
      const { operation, token, ip, fields, traceId, within } = call.request;
      const identity = await authenticate(token, ip);
      if (isRefusal(identity)) return identity;
      const { user } = identity;
      const scopes = scopesOf(identity.token);
      const key = JSON.stringify([user, scopes, position, fields]);
      const input = { value: definedFields({ since: position, fields }) };
      const caller = { user, scopes, key: undefined, traceId, from: ip } as const;
      const shared = call.isOver ? lastReads : reads;
      const reply = await shared.read({ user: countedUser(user), key, isWanted: () => !call.isDone }, () =>
        within(() => dispatch({ operation, input, ...caller, transport: 'rest', arrivedMs: Date.now() })),
      );
      const present = await authenticate(token, ip);
      return isRefusal(present) ? present : reply;
    },
    onEnd(call) {
      const registration = calls.get(call);
      calls.delete(call);
      if (registration === undefined) return;
      bytes -= registration.bytes;
      registration.resume();
      tokens.leave(registration.watched);
    },
    log,
  };

  function register(call: WaitingCall, ownBytes: number): void {
    const { identity, open, client } = call.request;
    bytes += ownBytes;
    const watched = tokens.enter(identity, () => call.end(tokenEnded));
    calls.set(call, { bytes: ownBytes, watched, resume: open.pause() });
    client.onGone(() => call.end(null));
  }

  return {
    /** Null if the first read of a call is its answer. */
    waitAfter(reply: Reply, request: WaitingRequest): Wait | null {
      const first = unchangedAnswerOf(reply);
      return first === null || isDraining || request.client.isGone() ? null : { request, first };
    },
    /** Answers a call when something changes, or when its time is up. Refuses it past a bound. */
    answer({ request, first }: Wait): Promise<WaitedReply> {
      const ownBytes = CALL_BYTES + first.position.length;
      if (calls.size >= most || bytes + ownBytes > MOST_BYTES) {
        refused.waiting++;
        return Promise.resolve({ reply: tooMany, waitedMs: 0 });
      }
      return new Promise((resolve, reject) => {
        const call = new WaitingCall(host, request, first.position, { resolve, reject });
        register(call, ownBytes);
        call.begin(first.heads);
      });
    },
    /** Answers all calls. Later calls do not wait. */
    drain(): void {
      isDraining = true;
      for (const call of calls.keys()) call.end(null);
    },
    count: () => calls.size,
    refused,
  };
}

function holderOf({ ip, identity }: WaitingRequest): QuotaHolder {
  return { ip, user: countedUser(identity.user) };
}

const tokenEnded = refuse('unauthorized', 'The token is missing, wrong or no longer valid.');
const tooMany = refuse('unavailable', 'Too many calls wait for changes. Try again soon.');
