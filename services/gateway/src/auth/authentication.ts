// Finds out whose token it is, and asks workers as seldom as that allows. Rules: AUTH2, AUTH3, GEN3.
import { hasTokenShape } from '@taskgraph/runtime/security/tokens';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { resolvedTokens } from '@taskgraph/wire/messages';
import { LRUCache } from 'lru-cache';
import { gather } from '../gathering.ts';
import { type AskWorkers, nobody } from '../worker-questions.ts';
import { hashOf, type Identity } from './token.ts';
import type { WrongTokens } from './wrong-tokens.ts';

/** How long a revoked token may go on where the control message gets lost: short, because revoking shall end access within a second. */
const CACHED_MS = 1_000;
const MAXIMUM_CACHED = 10_000;
const MAXIMUM_LOOKUPS = 10_000;
/** Tokens that one question asks for. */
const TOKENS_A_QUESTION = 200;

/**
 * The identity of a token; `unauthorized` where it is nobody's, `unavailable` where no worker answers, `rate_limited` where too many wrong
 * ones have come from the client's address, and nobody was asked about this one.
 */
export type Authenticate = (token: string | null, address: string) => Promise<Identity | Refusal>;

/** The ended ones: tokens by their id, and all of a user's by the user's. */
export interface EndedTokens {
  readonly tokens?: readonly string[] | undefined;
  readonly users?: readonly string[] | undefined;
}

interface Authenticator {
  readonly authenticate: Authenticate;
  /** Forgets what it knows of tokens that have ended, and of what is being asked just now. */
  forget(ended: EndedTokens): void;
}

interface Options {
  askWorkers: AskWorkers;
  /** Milliseconds that a look-up may take. */
  deadlineMs: number;
  wrongTokens: Pick<WrongTokens, 'within'>;
}

export function createAuthenticator({ askWorkers, deadlineMs, wrongTokens }: Options): Authenticator {
  const cache = new LRUCache<string, Identity | Refusal>({ max: MAXIMUM_CACHED, ttl: CACHED_MS });
  const lookups = new Map<string, Promise<Identity | Refusal>>();
  // Answers to questions from before something ended may be out of date, and are not kept.
  let era = 0;

  const resolve = gather<null, Identity>({
    most: TOKENS_A_QUESTION,
    async ask(hashes) {
      const payload = { hashes: [...hashes.keys()] };
      const resolved = await askWorkers('tokens:resolve', payload, resolvedTokens, nobody(deadlineMs));
      return isRefusal(resolved)
        ? resolved
        : new Map(resolved.identities.map(({ hash, ...identity }) => [hash, identity]));
    },
  });

  async function lookUp(hash: string): Promise<Identity | Refusal> {
    const begun = era;
    const resolved = await resolve(hash, null);
    // A refusal to look up says nothing about the token, so it is passed on as it is and not remembered.
    if (resolved !== null && isRefusal(resolved)) return resolved;
    const answer = resolved ?? unauthorized;
    if (begun === era) cache.set(hash, answer);
    return answer;
  }

  async function find(hash: string, address: string): Promise<Identity | Refusal> {
    const cached = cache.get(hash);
    if (cached !== undefined) return cached;
    const shared = lookups.get(hash);
    if (shared !== undefined) return shared;
    if (lookups.size >= MAXIMUM_LOOKUPS) return refuse('unavailable', 'Too many tokens are being looked up.');
    const lookup = wrongTokens
      .within(hash, address, () => lookUp(hash))
      .finally(() => {
        if (lookups.get(hash) === lookup) lookups.delete(hash);
      });
    lookups.set(hash, lookup);
    return lookup;
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

/** A token's end by the clock does not wait for the cache. */
function isOver({ token }: Identity): boolean {
  return token.expires !== null && Date.parse(token.expires) <= Date.now();
}

const unauthorized = refuse('unauthorized', 'The token is missing, wrong or no longer valid.');
