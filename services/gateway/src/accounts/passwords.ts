// Hashing passwords costs time and memory on purpose: so it is bounded how much of it is done at once. Rules: AUTH1, AUTH4.
import { createConcurrencyLimit } from '@taskgraph/runtime/concurrency-limit';
import { isCommonPassword } from '@taskgraph/runtime/security/common-passwords';
import { hashPassword, passwordKey } from '@taskgraph/runtime/security/passwords';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';

/**
 * Hashing takes threads from a pool of four; one is left to look up names and read files. Those who are known have one of their own: strangers
 * who try to sign in from many addresses at once must not keep them out.
 */
const AT_ONCE = { strangers: 2, known: 1 } as const;
/** Of either. At some 30 ms each, the last of them waits one or two seconds. */
const WAITING = 100;

/** Both refuse with `unavailable` where too many wait. */
export interface Passwords {
  /** For who has a session or a mailed link. Refuses common passwords; `names` are those of its user, as far as they are known. */
  hash(password: string, names?: readonly string[]): Promise<string | Refusal>;
  /**
   * The key by which a worker is shown that the password is right; for no salt it takes as long, and is nobody's. `isKnown`: whether it is
   * for who has a session, or comes from a device that the account is known on.
   */
  key(salt: string | null, password: string, isKnown: boolean): Promise<Buffer | Refusal>;
}

export function createPasswords(waiting = WAITING): Passwords {
  const forStrangers = createConcurrencyLimit({ atOnce: AT_ONCE.strangers, waiting });
  const forKnown = createConcurrencyLimit({ atOnce: AT_ONCE.known, waiting });
  return {
    hash: async (password, names = []) =>
      isCommonPassword(password, names) ? commonPassword : notDone(await forKnown(() => hashPassword(password))),
    key: async (salt, password, isKnown) =>
      notDone(await (isKnown ? forKnown : forStrangers)(() => passwordKey(salt, password))),
  };
}

const commonPassword = refuse('bad_request.common_password', 'This password is among the first that others try.', {
  path: 'password',
});

/** Whatever a password is for comes after this. */
function notDone<T>(outcome: T | Refusal): T | Refusal {
  if (!isRefusal(outcome) || outcome.code !== 'unavailable') return outcome;
  return refuse(outcome.code, outcome.message, { outcome: 'not_done' });
}
