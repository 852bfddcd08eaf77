// The token of a call that is in progress, which may end meanwhile. Rule: AUTH2.
//
// A gateway accepts a token for at most TOKEN_CACHE_MS after the start of its look-up, and the call
// that ends a token is answered later than that. So a check directly before an answer is sent
// suffices: no answer follows the acknowledged end. Within that time the check is a look into the
// cache.
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import type { Authenticate } from './authentication.ts';
import type { Identity } from './token.ts';

export interface CallerToken {
  readonly id: string;
  /** Null while the token is valid. */
  readonly check: () => Promise<Refusal | null>;
}

/** Retains the token's text and the client's address, and nothing else of the request. */
export function createCallerToken(
  authenticate: Authenticate,
  { token }: Identity,
  { text, ip }: { readonly text: string | null; readonly ip: string },
): CallerToken {
  return {
    id: token.id,
    async check() {
      const present = await authenticate(text, ip);
      return isRefusal(present) ? present : null;
    },
  };
}
