// Deliberate faults in the rules, each of which the reference model must find.
import type { Fault } from '@taskgraph/testkit/faults';

/** A fault, and the first seed whose random run reveals it. */
export interface KnownMutant extends Fault {
  readonly seed: number;
  /**
   * Some commands of the run are composites; composites set fields several times and are undone; or
   * a dry run precedes each command; or many commands are on claims. Ordinary runs if absent.
   */
  readonly kind?: 'composites' | 'intermediate values' | 'dry runs' | 'claims';
}

/** Faults in the pure core, by the broken behaviour. The pipeline in memory reveals them. */
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
  'a swapped link propagates without the right to propagate (ACL3)': {
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
  'an undo conflicts with intermediate values of its own batch (HIS10)': {
    seed: 1,
    kind: 'intermediate values',
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
  'the system ends grants before they expire (ACL5)': {
    seed: 3,
    file: 'libs/commands/src/node/node-expire.ts',
    find: '(grant) => !isCurrent(grant, context.now) && !followsEnded',
    replace: '(grant) => grant.due !== null && !followsEnded',
  },
  'a refusal reveals the number of hidden blockers (LNK9)': {
    seed: 1,
    file: 'libs/commands/src/rules/status.ts',
    find: 'else hidden = true;',
    replace: 'else blockers.push({ hidden: true });',
  },
  'unblocking completes a node (BLK3)': {
    seed: 1,
    file: 'libs/domain/src/decision/status-cascade.ts',
    find: 'return before === Status.AVAILABLE || before === null ? Status.AVAILABLE : Status.IN_PROGRESS;',
    replace: 'return before ?? Status.AVAILABLE;',
  },
  'reopening a node does not remove its time of completion (BLK11)': {
    seed: 1,
    file: 'libs/domain/src/decision/draft.ts',
    find: 'if (!completes) return { ...patch, completedTime: null };',
    replace: 'if (!completes) return patch;',
  },
  'an undo completes a node at its own time (BLK11)': {
    seed: 3,
    file: 'libs/commands/src/history/reversals-of-nodes.ts',
    find: '...definedFields({ completedTime: recordedTime(wanted) })',
    replace: '',
  },
  'an undo of a side effect completes a node at its own time (BLK11)': {
    seed: 4,
    file: 'libs/commands/src/history/revert-batch.ts',
    find: 'exact.set(id, { status: status as Status, completedTime: completedTime as string | null });',
    replace: 'exact.set(id, { status: status as Status } as RestoredStatus);',
  },
  'the epoch is not raised when a grant ends (ACL7)': {
    seed: 2,
    file: 'libs/domain/src/access/feed-access.ts',
    find: 'if (was !== null) update(was, ownerId, count(-1), bumpsEpoch);',
    replace: 'if (was !== null) update(was, ownerId, count(-1), bumpsEpoch && is !== null);',
  },
  'a raised epoch does not name the readers who lost access (ACL7, EVT4)': {
    seed: 2,
    file: 'libs/domain/src/access/access-losses.ts',
    find: 'return user === null ? raise : mergeEpochBumps(raise,',
    replace: 'return user !== email ? raise : mergeEpochBumps(raise,',
  },
  'a link of another user is restored as a private link (LNK6)': {
    seed: 3,
    file: 'libs/commands/src/link/link-add.ts',
    find: 'link.ownerId === caller.id || (!link.private && !wanted.private)',
    replace: 'link.ownerId === caller.id || !link.private',
  },
  'a copied grant remains after its original ends (NODE3)': {
    seed: 1,
    file: 'libs/commands/src/rules/grants.ts',
    find: 'draft.asEffect(() => endCopies(draft, grant));',
    replace: '',
  },
  'undo omits the first operation (BAT5)': {
    seed: 1,
    kind: 'composites',
    file: 'libs/commands/src/history/revert-batch.ts',
    find: "return kind === 'undo' ? parts.reverse() : parts;",
    replace: "return kind === 'undo' ? parts.reverse().slice(0, Math.max(1, parts.length - 1)) : parts;",
  },
  'a stand-in id resolves to the link instead of the node (BAT2)': {
    seed: 1,
    kind: 'composites',
    file: 'libs/commands/src/batch/batch-run.ts',
    find: 'if (result?.id !== undefined) createdIds.set(standIns.id, result.id);',
    replace: 'if (result?.id !== undefined) createdIds.set(standIns.id, result.link ?? result.id);',
  },
  'a dry run shows grants that its caller cannot list (DRY3)': {
    seed: 1,
    kind: 'dry runs',
    file: 'libs/domain/src/views/visibility-changes.ts',
    find: 'return new Set(feeds.filter(isListed));',
    replace: 'return new Set(feeds.filter((feed) => isListed(feed) || true));',
  },
  'a dry run stores its changes (DRY1)': {
    seed: 1,
    kind: 'dry runs',
    file: 'libs/commands/src/pipeline/decide-group.ts',
    find: 'if (command.dryRun) return withoutBatch(answerDryRun(decided));',
    replace:
      'if (command.dryRun && decided.changes.length > 0) progress.record({ ...decided, stored: batchOf(decided, decided.sliced.entries, progress.writes.nodeOf) }); if (command.dryRun) return withoutBatch(answerDryRun(decided));',
  },
  'restoring a node creates a cycle (TRS3)': {
    seed: 4,
    file: 'libs/commands/src/rules/trash.ts',
    find: 'return link.type === LinkType.PRIMARY && draft.path(link.target, link.source) !== null;',
    replace: 'return link.type !== LinkType.PRIMARY && draft.path(link.target, link.source) !== null;',
  },
  'completing a node leaves its claim (CLAIM3)': {
    seed: 1,
    kind: 'claims',
    file: 'libs/domain/src/decision/draft.ts',
    find: '...patch, ...NO_CLAIM };',
    replace: '...patch };',
  },
  'a claim counts beyond its end (CLAIM1)': {
    seed: 1,
    kind: 'claims',
    file: 'libs/commands/src/rules/claims.ts',
    find: 'return claimUntil !== null && claimUntil > now;',
    replace: "return claimUntil !== null && now !== '';",
  },
  'an undo ends the claim of another user (CLAIM3)': {
    seed: 5,
    kind: 'claims',
    file: 'libs/commands/src/rules/claims.ts',
    find: 'if (!isClaimed(node, { now }) || claimerId === actor.id) return null;',
    replace: "if (!isClaimed(node, { now }) || claimerId === actor.id || id !== '') return null;",
  },
  'another user renews a claim by its id (CLAIM2)': {
    seed: 4,
    kind: 'claims',
    file: 'libs/commands/src/rules/claims.ts',
    find: 'node.claimId === claimId && node.claimerId === context.actor.id;',
    replace: 'node.claimId === claimId;',
  },
  'an undo ignores that another claim followed (CLAIM3)': {
    seed: 1,
    kind: 'claims',
    file: 'libs/commands/src/history/conflicts.ts',
    find: '...PUBLICATION_FIELDS, CLAIM] : FORM)',
    replace: '...PUBLICATION_FIELDS] : FORM)',
  },
  'a release leaves the assignee whom the claim added (CLAIM3)': {
    seed: 1,
    kind: 'claims',
    file: 'libs/commands/src/rules/claims.ts',
    find: 'if (claimAssigned !== true) return {};',
    replace: "if (claimedBy !== '') return {};",
  },
  'a release removes an assignee who was set by hand (CLAIM3)': {
    seed: 1,
    kind: 'claims',
    file: 'libs/domain/src/decision/draft.ts',
    find: 'if (before.claimAssigned !== true || patch.assignee === undefined) return patch;',
    replace: 'if (before.claimAssigned !== null || patch.assignee === undefined) return patch;',
  },
  'a claimed node is in progress after the trash (CLAIM3)': {
    seed: 1,
    kind: 'claims',
    file: 'libs/domain/src/decision/draft.ts',
    find: 'patch.inTrash === true ? availableFrom(before) : {}',
    replace: 'patch.inTrash === null ? availableFrom(before) : {}',
  },
  'the undo of the end of a claim leaves the node in progress (CLAIM3)': {
    seed: 1,
    kind: 'claims',
    file: 'libs/commands/src/history/reversals-of-nodes.ts',
    find: '(wanted.claimId ?? null) === null ?',
    replace: "(wanted.claimId ?? null) !== '' ?",
  },
};
