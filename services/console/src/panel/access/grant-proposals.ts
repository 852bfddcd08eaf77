// What an act on a share does, from a dry run and the size of the branch.
import type { Changed, Grant, Replica } from '@taskgraph/client';
import { access as texts } from '../../messages/texts/access.ts';
import { branchSize, dryRun, ONE_TASK } from './access-calls.ts';
import type { GrantChoice } from './grant-fields.tsx';
import type { Proposal } from './proposal.tsx';

interface Share {
  readonly id: string;
  readonly email: string;
  readonly choice: GrantChoice;
}

export async function proposeShare(replica: Replica, { id, email, choice }: Share): Promise<Proposal> {
  const payload = { id, email, ...choice };
  const [{ sight }, size] = await Promise.all([dryRun('node:access', payload), sizeOf(replica, id, choice.branch)]);
  return {
    lines: [
      sees(sight, email) ? texts.wouldSee(email, size.tasks, size.isAtLeast) : texts.seesAlready(email),
      texts.wouldBe(email, texts.levels[choice.level] ?? ''),
    ],
    confirm: texts.confirmShare,
    async act() {
      await replica.call('node:access', payload);
      return texts.shared(email);
    },
  };
}

export async function proposeChange(replica: Replica, grant: Grant, choice: GrantChoice): Promise<Proposal> {
  const { id, email, version } = grant;
  const payload = { id, email, version, ...choice };
  const isNarrower = grant.branch && !choice.branch;
  const [{ sight }, size] = await Promise.all([
    dryRun('node:access:update', payload),
    sizeOf(replica, id, choice.branch || isNarrower),
  ]);
  const lines = [texts.wouldBe(email, texts.levels[choice.level] ?? '')];
  if (sees(sight, email)) lines.unshift(texts.wouldSee(email, size.tasks, size.isAtLeast));
  if (loses(sight, email)) lines.unshift(texts.wouldLose(email, size.tasks - ONE_TASK.tasks, size.isAtLeast));
  return {
    lines,
    confirm: texts.confirmChange,
    async act() {
      await replica.call('node:access:update', payload);
      return texts.changed(email);
    },
  };
}

export async function proposeEnd(replica: Replica, grant: Grant): Promise<Proposal> {
  const { id, email, branch, version } = grant;
  const payload = { id, email, version };
  const [{ sight }, size] = await Promise.all([dryRun('node:access:delete', payload), sizeOf(replica, id, branch)]);
  return {
    lines: [
      texts.wouldLose(email, size.tasks, size.isAtLeast),
      ...(loses(sight, email) ? [] : [texts.stillSees(email)]),
    ],
    confirm: texts.confirmEnd,
    async act() {
      await replica.call('node:access:delete', payload);
      return texts.ended(email);
    },
  };
}

/** Ends a share of the reader's own. */
export async function proposeLeave(
  replica: Replica,
  { id, email, branch, title }: Pick<Grant, 'id' | 'email' | 'branch'> & { readonly title: string },
): Promise<Proposal> {
  const [, size] = await Promise.all([dryRun('node:access:delete', { id, email }), sizeOf(replica, id, branch)]);
  return {
    lines: [texts.youLose(size.tasks, size.isAtLeast)],
    confirm: texts.confirmLeave,
    async act() {
      await replica.call('node:access:delete', { id, email });
      return texts.left(title);
    },
  };
}

function sizeOf(replica: Replica, id: string, branch: boolean) {
  return branch ? branchSize(replica, id) : ONE_TASK;
}

function sees(sight: Changed['sight'], email: string): boolean {
  return sight?.gained.includes(email.toLowerCase()) === true;
}

function loses(sight: Changed['sight'], email: string): boolean {
  return sight?.lost.includes(email.toLowerCase()) === true;
}
