// Which users' feeds a sweep looks at, so that its work has a bound and users with many grants delay no
// others. Pure. Rule: HOOK10.
import type { ReadyWebhook } from '@taskgraph/graph-store/webhooks/due-webhooks';

/** Grants that one statement reads, unless a single user has more. */
const GRANTS_AT_ONCE = 20_000;
/** Grants that one sweep reads, but for its last user: half a second of the database. */
const GRANTS_OF_SWEEP = 30_000;
const USERS_AT_ONCE = 500;
/** Between two looks at the feeds of one user: so many milliseconds for each grant. */
const MS_OF_GRANT = 1;
/** If a sweep can't look at all users, each grant lets others go first for so many milliseconds. */
const LATER_MS_OF_GRANT = 5;
/** Until a failed look is repeated. */
const RETRY_MS = 10_000;
/** Users without a webhook that could start are forgotten after this time. */
const FORGET_MS = 120_000;

/** A user whose feeds are to be looked at, with the webhooks that need it. */
export interface UserHeads {
  readonly userId: string;
  readonly grants: number;
  readonly webhooks: readonly ReadyWebhook[];
}

interface Look {
  /** When the feeds of the user were to be looked at. */
  dueMs: number;
  /** Not before. */
  fromMs: number;
  /** After a failure the user has a statement of their own. */
  isAlone: boolean;
  seenMs: number;
}

export interface HeadSchedule {
  /** The users to look at now, by statements. Those with few grants, and those who waited, come first. */
  choose(webhooks: readonly ReadyWebhook[]): UserHeads[][];
  /** The result of a look. */
  note(user: UserHeads, isDone: boolean): void;
  /** The earliest moment at which a look was due that is still to be done; infinite for none. */
  oldestMs(): number;
}

export function createHeadSchedule(nowMs: () => number): HeadSchedule {
  const looks = new Map<string, Look>();
  let waiting: Look[] = [];
  function lookOf(userId: string): Look {
    const look = looks.get(userId) ?? { dueMs: nowMs(), fromMs: nowMs(), isAlone: false, seenMs: nowMs() };
    look.seenMs = nowMs();
    looks.set(userId, look);
    return look;
  }
  return {
    choose(webhooks) {
      for (const [userId, { seenMs }] of looks) if (seenMs < nowMs() - FORGET_MS) looks.delete(userId);
      const users = usersOf(webhooks).map((user) => ({ user, look: lookOf(user.userId) }));
      const due = users.filter(({ look }) => look.fromMs <= nowMs()).sort((one, other) => turnOf(one) - turnOf(other));
      waiting = users.map(({ look }) => look).filter(({ dueMs }) => dueMs <= nowMs());
      return statementsOf(due);
    },
    note({ userId, grants }, isDone) {
      const look = lookOf(userId);
      look.isAlone = !isDone;
      look.fromMs = nowMs() + (isDone ? grants * MS_OF_GRANT : RETRY_MS);
      if (isDone) look.dueMs = look.fromMs;
    },
    oldestMs: () => waiting.reduce((oldest, { dueMs }) => Math.min(oldest, dueMs), Number.POSITIVE_INFINITY),
  };
}

function turnOf({ user, look }: { readonly user: UserHeads; readonly look: Look }): number {
  return look.fromMs + user.grants * LATER_MS_OF_GRANT;
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

function statementsOf(due: readonly { readonly user: UserHeads; readonly look: Look }[]): UserHeads[][] {
  const statements: UserHeads[][] = [];
  let [shared, sharedGrants, total]: [UserHeads[], number, number] = [[], 0, 0];
  for (const { user, look } of due) {
    if (total >= GRANTS_OF_SWEEP) break;
    total += user.grants;
    if (look.isAlone) {
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
