// Finds out whose token it is, and asks workers as seldom as that allows. Rules: AUTH3, GEN3.
import type { Requester } from '@taskgraph/bus/request';
import { hasTokenShape } from '@taskgraph/runtime/tokens';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { type ActingUser, resolvedToken } from '@taskgraph/wire/messages';
import { LRUCache } from 'lru-cache';
import { hashOf } from './token.ts';

/** How long a revoked token may go on: short, because revoking shall end access within a second. */
const CACHED_MS = 1_000;
const MAXIMUM_CACHED = 10_000;
const MAXIMUM_LOOKUPS = 10_000;

/** The user of a token; `unauthorized` where it is nobody's, `unavailable` where no worker answers. */
export type Authenticate = (token: string | null, traceId: string) => Promise<ActingUser | Refusal>;

interface Options {
  requester: Pick<Requester, 'read'>;
  /** Milliseconds that a look-up may take. */
  deadlineMs: number;
}

export function createAuthenticator({ requester, deadlineMs }: Options): Authenticate {
  const cache = new LRUCache<string, ActingUser | Refusal>({ max: MAXIMUM_CACHED, ttl: CACHED_MS });
  const lookups = new Map<string, Promise<ActingUser | Refusal>>();

  async function lookUp(hash: string, traceId: string): Promise<ActingUser | Refusal> {
    const deadline = Date.now() + deadlineMs;
    const reply = await requester.read({ event: 'token:resolve', payload: { hash }, actor: null, deadline, traceId });
    // A refusal to look up says nothing about the token, so it is passed on as it is and not remembered.
    if (!reply.ok) return refuse(reply.error, reply.message, reply.details);
    const answer = resolvedToken.parse(reply.body).user ?? unauthorized;
    cache.set(hash, answer);
    return answer;
  }

  return async (token, traceId) => {
    if (token === null || !hasTokenShape(token)) return unauthorized;
    const hash = hashOf(token);
    const cached = cache.get(hash);
    if (cached !== undefined) return cached;
    const shared = lookups.get(hash);
    if (shared !== undefined) return shared;
    if (lookups.size >= MAXIMUM_LOOKUPS) return refuse('unavailable', 'Too many tokens are being looked up.');
    const lookup = lookUp(hash, traceId).finally(() => lookups.delete(hash));
    lookups.set(hash, lookup);
    return lookup;
  };
}

const unauthorized = refuse('unauthorized', 'The API token is missing, wrong or no longer valid.');

/** Tells a user from a refusal. */
export function isUser(outcome: ActingUser | Refusal): outcome is ActingUser {
  return !isRefusal(outcome);
}
