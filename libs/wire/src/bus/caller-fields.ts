// Fields of account operations that create or renew a right, or whose order matters. Rules: AUTH2, AUTH6.
import { anyId } from '../ids.ts';

/** A gateway of the previous release sends neither, and then neither is checked. */
export const callerFields = {
  /** The session or token of the call. If it has ended or expired, the operation is refused as `unauthorized`. */
  caller: anyId.optional(),
  /** The same in each attempt, so that a late one does not undo what was done since. */
  request: anyId.optional(),
} as const;
