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
const MAXIMUM_CACHED = 10_000;
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
  const cache = new LRUCache<string, Identity | Refusal>({ max: MAXIMUM_CACHED, ttl: TOKEN_CACHE_MS });
  const lookups = new Map<string, { readonly begunMs: number; readonly answer: Promise<Identity | Refusal> }>();
  // Counts calls of `forget`: the answer to an earlier look-up may be out of date and is not
  // cached.
  let era = 0;

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

  async function lookUp(hash: string, begunMs: number): Promise<Identity | Refusal> {
    const begun = era;
    const resolved = await resolve(hash, null);
    // A failed look-up says nothing about the token, so it is not cached.
    if (resolved !== null && isRefusal(resolved)) return resolved;
    const answer = resolved ?? unauthorized;
    const ttl = TOKEN_CACHE_MS - (performance.now() - begunMs);
    if (begun === era && ttl > 0) cache.set(hash, answer, { ttl: Math.ceil(ttl) });
    return answer;
  }

  async function find(hash: string, address: string): Promise<Identity | Refusal> {
    const cached = cache.get(hash);
    if (cached !== undefined) return cached;
    const shared = lookups.get(hash);
    const begunMs = performance.now();
    if (shared !== undefined && begunMs - shared.begunMs < TOKEN_CACHE_MS) return shared.answer;
    if (lookups.size >= MAXIMUM_LOOKUPS) return refuse('unavailable', 'Too many tokens are being looked up.');
    const answer = wrongTokens
      .within(hash, address, () => lookUp(hash, begunMs))
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
      era++;
      lookups.clear();
      const [ended, disabled] = [new Set(tokens), new Set(users)];
      for (const [hash, known] of cache.entries()) {
        if (isRefusal(known)) continue;
        if (ended.has(known.token.id) || disabled.has(known.user.id)) cache.delete(hash);
      }
    },
  };
}

/** An expired token is invalid at once, though it is cached. */
function isOver({ token }: Identity): boolean {
  return token.expires !== null && Date.parse(token.expires) <= Date.now();
}

const unauthorized = refuse('unauthorized', 'The token is missing, wrong or no longer valid.');
