// Password hashing costs time and memory on purpose, so simultaneous hashing is bounded. Rules:
// AUTH1, AUTH4.
import { createConcurrencyLimit } from '@taskgraph/runtime/concurrency-limit';
import { isCommonPassword } from '@taskgraph/runtime/security/common-passwords';
import { hashPassword, passwordKey } from '@taskgraph/runtime/security/passwords';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';

/**
 * Hashing uses three of Node's four pool threads and leaves one for DNS and files. Known callers
 * have a thread of their own: sign-in attempts of strangers from many addresses must not block
 * them.
 */
const AT_ONCE = { strangers: 2, known: 1 } as const;
/** Waiting calls of either kind. At some 30 ms each, the last waits one or two seconds. */
const WAITING = 100;

/** Both refuse as `unavailable` if too many wait. */
export interface Passwords {
  /**
   * For callers with a session or a mailed link. Refuses common passwords; `names` are the user's
   * known names.
   */
  hash(password: string, names?: readonly string[]): Promise<string | Refusal>;
  /**
   * The key that proves the password to a worker. Without a salt it takes as long and fits no user.
   * `isKnown`: whether the caller has a session or a known device.
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

/** Nothing else has happened before the hashing, so a refusal means that nothing was done. */
function notDone<T>(outcome: T | Refusal): T | Refusal {
  if (!isRefusal(outcome) || outcome.code !== 'unavailable') return outcome;
  return refuse(outcome.code, outcome.message, { outcome: 'not_done' });
}
