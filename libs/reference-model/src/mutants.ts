// Deliberate faults in the rules, each of which the reference model must find.
import type { Fault } from '@taskgraph/testkit/faults';

/** A fault, and the random run that shows it first: runs are drawn from 1, 2 and so on, and all before this one agree. */
export interface KnownMutant extends Fault {
  readonly seed: number;
  /**
   * Runs in which some commands are composites, in which these set things several times and are taken back, or in which each command is tried as a dry
   * run first; usual runs if not given.
   */
  readonly kind?: 'composites' | 'values in between' | 'dry runs';
}

/** Faults in the pure core by what they break; the pipeline in memory shows them. */
export const RULE_MUTANTS: Readonly<Record<string, KnownMutant>> = {
  'a private link propagates (ACL3)': {
    seed: 1,
    file: 'libs/domain/src/access/reader-access.ts',
    find: 'return link.conveys && !link.inTrash && !link.private;',
    replace: 'return link.conveys && !link.inTrash;',
  },
  'a trashed link blocks (BLK1)': {
    seed: 1,
    file: 'libs/domain/src/decision/draft.ts',
    find: 'if (link.inTrash || link.type !== LinkType.PRIMARY) return false;',
    replace: 'if (link.type !== LinkType.PRIMARY) return false;',
  },
  'a swap keeps its right to propagate (ACL3)': {
    seed: 3,
    file: 'libs/commands/src/rules/link-rules.ts',
    find: 'conveys: mayPropagate(caller, { source, target, moves: false }),',
    replace: 'conveys: link.conveys,',
  },
  'undo ignores a later change (HIS2)': {
    seed: 1,
    file: 'libs/commands/src/history/conflicts.ts',
    find: 'fields.has(field) && !isSame(',
    replace: "fields.has(field) && field === 'no field' && !isSame(",
  },
  'a value in between stands in the way of an undo (HIS10)': {
    seed: 1,
    kind: 'values in between',
    file: 'libs/commands/src/history/revert-batch.ts',
    find: 'if (net === undefined) return exactReversal(revert, change);',
    replace: 'return exactReversal(revert, change);',
  },
  'an expired grant still counts (ACL5)': {
    seed: 1,
    file: 'libs/domain/src/access/reader-access.ts',
    find: 'return due === null || due > now;',
    replace: "return due === null || due > '' || due > now;",
  },
  'the system empties the trash too early (TRS5)': {
    seed: 2,
    file: 'libs/commands/src/node/node-purge.ts',
    find: 'if (node.inTrash && node.lastEditedTime < before) deleteNode',
    replace: 'if (node.inTrash && node.lastEditedTime <= before) deleteNode',
  },
  'the system ends what is not over (ACL5)': {
    seed: 3,
    file: 'libs/commands/src/node/node-expire.ts',
    find: '(grant) => !isCurrent(grant, context.now) && !followsEnded',
    replace: '(grant) => grant.due !== null && !followsEnded',
  },
  'hidden blockers are counted one by one (LNK9)': {
    seed: 1,
    file: 'libs/commands/src/rules/status.ts',
    find: 'else hidden = true;',
    replace: 'else blockers.push({ hidden: true });',
  },
  'unblocking completes a node (BLK3)': {
    seed: 1,
    file: 'libs/domain/src/decision/blocking.ts',
    find: 'return before === Status.AVAILABLE || before === null ? Status.AVAILABLE : Status.IN_PROGRESS;',
    replace: 'return before ?? Status.AVAILABLE;',
  },
  'the room stays when a grant ends (ACL7)': {
    seed: 2,
    file: 'libs/domain/src/access/feed-access.ts',
    find: 'if (was !== null) update(was, ownerId, count(-1), bumpsEpoch);',
    replace: 'if (was !== null) update(was, ownerId, count(-1), bumpsEpoch && is !== null);',
  },
  'a raised epoch is told without who leaves (ACL7, EVT4)': {
    seed: 2,
    file: 'libs/domain/src/access/access-losses.ts',
    find: 'return user === null ? raise : mergeEpochBumps(raise,',
    replace: 'return user !== email ? raise : mergeEpochBumps(raise,',
  },
  "another's link comes back as a private one (LNK6)": {
    seed: 3,
    file: 'libs/commands/src/link/link-add.ts',
    find: 'link.ownerId === caller.id || (!link.private && !wanted.private)',
    replace: 'link.ownerId === caller.id || !link.private',
  },
  'a copied grant outlives its original (NODE3)': {
    seed: 1,
    file: 'libs/commands/src/rules/grants.ts',
    find: 'draft.asEffect(() => endCopies(draft, grant));',
    replace: '',
  },
  'undo leaves out the first operation (BAT5)': {
    seed: 1,
    kind: 'composites',
    file: 'libs/commands/src/history/revert-batch.ts',
    find: "return kind === 'undo' ? parts.reverse() : parts;",
    replace: "return kind === 'undo' ? parts.reverse().slice(0, Math.max(1, parts.length - 1)) : parts;",
  },
  'a name stands for the link in place of the node (BAT2)': {
    seed: 1,
    kind: 'composites',
    file: 'libs/commands/src/batch/batch-run.ts',
    find: 'if (result?.id !== undefined) createdIds.set(standIns.id, result.id);',
    replace: 'if (result?.id !== undefined) createdIds.set(standIns.id, result.link ?? result.id);',
  },
  'a dry run tells of grants that its caller could not list (DRY3)': {
    seed: 1,
    kind: 'dry runs',
    file: 'libs/domain/src/views/visibility-changes.ts',
    find: 'return new Set(feeds.filter(isListed));',
    replace: 'return new Set(feeds.filter((feed) => isListed(feed) || true));',
  },
  'a dry run leaves what it decided (DRY1)': {
    seed: 1,
    kind: 'dry runs',
    file: 'libs/commands/src/pipeline/decide-group.ts',
    find: 'if (command.dryRun) return withoutBatch(answerDryRun(decided));',
    replace:
      'if (command.dryRun && decided.changes.length > 0) progress.record({ ...decided, stored: batchOf(decided, decided.sliced.entries, progress.writes.nodeOf) }); if (command.dryRun) return withoutBatch(answerDryRun(decided));',
  },
  'restoring a node closes a cycle (TRS3)': {
    seed: 4,
    file: 'libs/commands/src/rules/trash.ts',
    find: 'return link.type === LinkType.PRIMARY && draft.path(link.target, link.source) !== null;',
    replace: 'return link.type !== LinkType.PRIMARY && draft.path(link.target, link.source) !== null;',
  },
};
