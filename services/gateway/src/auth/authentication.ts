// Resolves tokens to identities, with a short cache and batched look-ups at the workers. Rules:
// AUTH2, AUTH3, GEN3.
import { hasTokenShape } from '@taskgraph/runtime/security/tokens';
import { resolvedTokens } from '@taskgraph/wire/bus/gateway-reads';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { LRUCache } from 'lru-cache';
import { createBatchLoader } from '../batch-loader.ts';
import { type AskWorkers, systemCaller } from '../worker-client.ts';
import { hashOf, type Identity } from './token.ts';
import type { WrongTokens } from './wrong-tokens.ts';

/**
 * How long a gateway accepts a token after the start of its look-up, without another one. So no gateway accepts an
 * ended token for longer, even if the control message is late or lost, and the answer to a call that ends tokens
 * waits for so long (account-client.ts).
 */
export const TOKEN_CACHE_MS = 1_000;
/** Look-ups for one call, if the answers to the first ones are too old or their token has ended meanwhile. */
const MAXIMUM_TRIES = 3;
const MAXIMUM_CACHED = 10_000;
/** Ended tokens and users of the last look-ups. Of more, the age of an answer still bounds how long it counts. */
const MAXIMUM_ENDINGS = 10_000;
const MAXIMUM_LOOKUPS = 10_000;
/** Tokens in one query. */
const TOKENS_A_QUERY = 200;

/**
 * Returns the identity of a token. Refuses an invalid token as `unauthorized`. Without an answer of
 * a worker it is `unavailable`; after too many wrong tokens of the address it is `rate_limited`,
 * without a look-up.
 */
export type Authenticate = (token: string | null, address: string) => Promise<Identity | Refusal>;

/** Ids of ended tokens, and of users all of whose tokens have ended. */
export interface EndedTokens {
  readonly tokens?: readonly string[] | undefined;
  readonly users?: readonly string[] | undefined;
}

interface Authenticator {
  readonly authenticate: Authenticate;
  /** Drops cached identities of ended tokens, and the results of look-ups in progress. */
  forget(ended: EndedTokens): void;
}

interface AuthenticatorOptions {
  askWorkers: AskWorkers;
  /** Milliseconds for a look-up. */
  deadlineMs: number;
  wrongTokens: Pick<WrongTokens, 'within'>;
}

export function createAuthenticator({ askWorkers, deadlineMs, wrongTokens }: AuthenticatorOptions): Authenticator {
  // The age is compared here: the cache's own expiry reads its clock only once a turn of the event loop.
  const cache = new LRUCache<string, CachedAnswer>({ max: MAXIMUM_CACHED });
  const lookups = new Map<string, { readonly begunMs: number; readonly answer: Promise<Identity | Refusal> }>();
  // When the end of a token or user was announced, by its id: the answer to an earlier look-up is out of date.
  const endings = new LRUCache<string, number>({ max: MAXIMUM_ENDINGS });

  const resolve = createBatchLoader<null, Identity>({
    most: TOKENS_A_QUERY,
    async load(hashes) {
      const payload = { hashes: [...hashes.keys()], scopes: true as const };
      const resolved = await askWorkers('tokens:resolve', payload, resolvedTokens, systemCaller(deadlineMs));
      return isRefusal(resolved)
        ? resolved
        : new Map(resolved.identities.map(({ hash, ...identity }) => [hash, identity]));
    },
  });

  async function lookUp(hash: string): Promise<Identity | Refusal> {
    for (let tries = 0; tries < MAXIMUM_TRIES; tries++) {
      const begunMs = performance.now();
      const resolved = await resolve(hash, null);
      // A failed look-up says nothing about the token, so it is not cached.
      if (resolved !== null && isRefusal(resolved)) return resolved;
      const answer = resolved ?? unauthorized;
      const isUsable = isYoung(begunMs) && !hasEndedSince(answer, begunMs);
      if (isUsable) cache.set(hash, { answer, begunMs });
      // A token that was wrong does not become valid, so a refusal needs no other look-up.
      if (isUsable || isRefusal(answer)) return answer;
    }
    return refuse('unavailable', 'The token could not be looked up in time.');
  }

  function hasEndedSince(answer: Identity | Refusal, sinceMs: number): boolean {
    if (isRefusal(answer)) return false;
    return [answer.token.id, answer.user.id].some((id) => (endings.get(id) ?? Number.NEGATIVE_INFINITY) >= sinceMs);
  }

  async function find(hash: string, address: string): Promise<Identity | Refusal> {
    const cached = cache.get(hash);
    if (cached !== undefined && isYoung(cached.begunMs)) return cached.answer;
    const shared = lookups.get(hash);
    const begunMs = performance.now();
    if (shared !== undefined && isYoung(shared.begunMs)) return shared.answer;
    if (lookups.size >= MAXIMUM_LOOKUPS) return refuse('unavailable', 'Too many tokens are being looked up.');
    const answer = wrongTokens
      .within(hash, address, () => lookUp(hash))
      .finally(() => {
        if (lookups.get(hash)?.answer === answer) lookups.delete(hash);
      });
    lookups.set(hash, { begunMs, answer });
    return answer;
  }

  return {
    async authenticate(token, address) {
      if (token === null || !hasTokenShape(token)) return unauthorized;
      const found = await find(hashOf(token), address);
      return isRefusal(found) || !isOver(found) ? found : unauthorized;
    },
    forget({ tokens = [], users = [] }) {
      if (tokens.length === 0 && users.length === 0) return;
      const nowMs = performance.now();
      for (const id of [...tokens, ...users]) endings.set(id, nowMs);
      lookups.clear();
      const [ended, disabled] = [new Set(tokens), new Set(users)];
      for (const [hash, { answer }] of cache.entries()) {
        if (isRefusal(answer)) continue;
        if (ended.has(answer.token.id) || disabled.has(answer.user.id)) cache.delete(hash);
      }
    },
  };
}

interface CachedAnswer {
  readonly answer: Identity | Refusal;
  /** When its look-up began, by the monotonic clock. */
  readonly begunMs: number;
}

/** Whether the answer to a look-up that began then still counts. */
function isYoung(begunMs: number): boolean {
  return performance.now() - begunMs < TOKEN_CACHE_MS;
}

/** An expired token is invalid at once, though it is cached. */
function isOver({ token }: Identity): boolean {
  return token.expires !== null && Date.parse(token.expires) <= Date.now();
}

const unauthorized = refuse('unauthorized', 'The token is missing, wrong or no longer valid.');
