// Which users' feeds a sweep checks, so that its work has a bound and users with many grants delay no
// others. Pure. Rule: HOOK10.
import type { ReadyWebhook } from '@taskgraph/graph-store/webhooks/due-webhooks';

/** Grants that one statement reads, unless a single user has more. */
const GRANTS_AT_ONCE = 20_000;
/** Grants that one sweep reads, but for its last user: half a second of the database. */
const GRANTS_OF_SWEEP = 30_000;
const USERS_AT_ONCE = 500;
/** Milliseconds between two checks of the feeds of one user, for each grant. */
const MS_OF_GRANT = 1;
/** If a sweep can't check all users, others go first for so many milliseconds for each grant. */
const LATER_MS_OF_GRANT = 5;
/** Milliseconds until a failed check is repeated. */
const RETRY_MS = 10_000;
/** Users without a webhook that could start are forgotten after this time. */
const FORGET_MS = 120_000;

/** A user whose feeds are to be checked, with the webhooks that need it. */
export interface UserHeads {
  readonly userId: string;
  readonly grants: number;
  readonly webhooks: readonly ReadyWebhook[];
}

interface HeadCheck {
  /** When the feeds of the user were to be checked. */
  dueMs: number;
  /** Not before. */
  fromMs: number;
  /** After a failure the user has a statement of their own. */
  isAlone: boolean;
  seenMs: number;
}

export interface HeadSchedule {
  /** The users to check now, by statements. Those with few grants, and those who waited, come first. */
  choose(webhooks: readonly ReadyWebhook[]): UserHeads[][];
  /** The result of a check. */
  note(user: UserHeads, isDone: boolean): void;
  /** The earliest moment at which a check was due that is not done yet; infinite for none. */
  oldestMs(): number;
}

export function createHeadSchedule(nowMs: () => number): HeadSchedule {
  const checks = new Map<string, HeadCheck>();
  let waiting: HeadCheck[] = [];
  function checkOf(userId: string): HeadCheck {
    const check = checks.get(userId) ?? { dueMs: nowMs(), fromMs: nowMs(), isAlone: false, seenMs: nowMs() };
    check.seenMs = nowMs();
    checks.set(userId, check);
    return check;
  }
  return {
    choose(webhooks) {
      for (const [userId, { seenMs }] of checks) if (seenMs < nowMs() - FORGET_MS) checks.delete(userId);
      const users = usersOf(webhooks).map((user) => ({ user, check: checkOf(user.userId) }));
      const due = users
        .filter(({ check }) => check.fromMs <= nowMs())
        .sort((one, other) => rankOf(one) - rankOf(other));
      waiting = users.map(({ check }) => check).filter(({ dueMs }) => dueMs <= nowMs());
      return statementsOf(due);
    },
    note({ userId, grants }, isDone) {
      const check = checkOf(userId);
      check.isAlone = !isDone;
      check.fromMs = nowMs() + (isDone ? grants * MS_OF_GRANT : RETRY_MS);
      if (isDone) check.dueMs = check.fromMs;
    },
    oldestMs: () => waiting.reduce((oldest, { dueMs }) => Math.min(oldest, dueMs), Number.POSITIVE_INFINITY),
  };
}

function rankOf({ user, check }: { readonly user: UserHeads; readonly check: HeadCheck }): number {
  return check.fromMs + user.grants * LATER_MS_OF_GRANT;
}

function usersOf(webhooks: readonly ReadyWebhook[]): UserHeads[] {
  const users = new Map<string, ReadyWebhook[]>();
  for (const webhook of webhooks) {
    const own = users.get(webhook.userId);
    if (own === undefined) users.set(webhook.userId, [webhook]);
    else own.push(webhook);
  }
  return [...users].map(([userId, own]) => ({ userId, grants: own[0]?.grants ?? 0, webhooks: own }));
}

function statementsOf(due: readonly { readonly user: UserHeads; readonly check: HeadCheck }[]): UserHeads[][] {
  const statements: UserHeads[][] = [];
  let [shared, sharedGrants, total]: [UserHeads[], number, number] = [[], 0, 0];
  for (const { user, check } of due) {
    if (total >= GRANTS_OF_SWEEP) break;
    total += user.grants;
    if (check.isAlone) {
      statements.push([user]);
      continue;
    }
    const isFull = shared.length >= USERS_AT_ONCE || sharedGrants + user.grants > GRANTS_AT_ONCE;
    if (shared.length === 0 || isFull) {
      [shared, sharedGrants] = [[], 0];
      statements.push(shared);
    }
    shared.push(user);
    sharedGrants += user.grants;
  }
  return statements;
}
