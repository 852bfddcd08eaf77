// Begins changes of accounts under the lock of the acting user, which orders them with the end of
// tokens. A call requires a valid session or token, and changes nothing if an earlier attempt was
// executed. Rules: AUTH2, AUTH6.
import { integer } from '../driver/codec.ts';
import type { Database, OpenTransaction } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';
import { transact } from '../driver/transaction.ts';

/** Ids of executed calls that a user, or a source of imports, stores: far more than one makes within a deadline. */
export const RECORDED_CALLS = 100;

/** A call that changes accounts. */
export interface AccountCall {
  /** The acting user. */
  readonly userId: string;
  /**
   * The id of the session or token of the call. Without one it is not checked: operators have none, and
   * gateways of the previous release send none.
   */
  readonly caller?: string | null | undefined;
  /** The id of the request, which all attempts share. Without one, no attempt is recognized. */
  readonly request?: string | null | undefined;
  /** Another user whom the call changes, to lock in order with the acting one. */
  readonly target?: string | undefined;
  /** ISO 8601 UTC. */
  readonly now: string;
}

/**
 * In: userId, target (or null), caller (or null), request (or null), most, now. Out: isValid, isRepeated; no
 * row without the user. Locks: the acting user, their maintainer and the target, bots last, in id order.
 * Cost: the number of the user's tokens.
 */
const BEGIN_CALL = `MATCH (found:User {id: $userId})
UNWIND [$userId, found.maintainer, $target] AS id
MATCH (each:User {id: id})
WITH DISTINCT each ORDER BY each.maintainer IS NOT NULL, each.id
SET each.lock = true
WITH count(*) AS locked
MATCH (a:User {id: $userId})
OPTIONAL MATCH (m:User {id: a.maintainer})
WITH a, coalesce($request IN a.requests, false) AS isRepeated, $caller IS NULL OR (
  coalesce(a.disabled, false) = false
  AND (a.maintainer IS NULL OR (a.id IN coalesce(m.bots, []) AND coalesce(m.disabled, false) = false))
  AND EXISTS {
    MATCH (a)-[:HAS_TOKEN]->(t:Token {id: $caller})
    WHERE t.revoked IS NULL AND (t.expires IS NULL OR t.expires > $now)
  }
) AS isValid
FOREACH (_ IN CASE WHEN $request IS NULL OR isRepeated OR NOT isValid THEN [] ELSE [1] END |
  SET a.requests = ([$request] + coalesce(a.requests, []))[0..$most]
)
RETURN isValid, isRepeated`;

/**
 * Executes a call in one transaction, and retries it. `ended`: its session or token has ended or expired, or
 * its user is disabled, so nothing was changed. A text as the result of `work` changes nothing either.
 * `work` must not repeat what an earlier attempt did: others may have changed it since.
 */
export function executeCall<T extends object | string>(
  database: Database,
  { userId, caller = null, request = null, target, now }: AccountCall,
  work: (transaction: OpenTransaction, isRepeated: boolean) => Promise<T>,
): Promise<T | 'ended'> {
  const parameters = { userId, caller, request, target: target ?? null, most: integer(RECORDED_CALLS), now };
  return retry(() =>
    transact<T | 'ended'>(database, async (transaction) => {
      const [call] = await transaction.run(BEGIN_CALL, parameters);
      // The earlier attempt may have ended its own session.
      if (call?.isValid !== true && call?.isRepeated !== true) return 'ended';
      return work(transaction, call.isRepeated === true);
    }),
  );
}
