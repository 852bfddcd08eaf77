// Deliberate faults in the rules and in the store, each of which the reference model must find.
import type { Fault } from '@taskgraph/testkit/faults';

/** A fault, and the random run that shows it first: runs are drawn from 1, 2 and so on, and all before this one agree. */
interface KnownMutant extends Fault {
  readonly seed: number;
}

/** Faults by what they break. */
export const MUTANTS: Readonly<Record<string, KnownMutant>> = {
  'a private link conveys (ACL3)': {
    seed: 1,
    file: 'libs/domain/src/access/access.ts',
    find: 'return link.conveys && !link.inTrash && !link.private;',
    replace: 'return link.conveys && !link.inTrash;',
  },
  'a trashed link blocks (BLK1)': {
    seed: 1,
    file: 'libs/domain/src/decision/draft.ts',
    find: 'if (link.inTrash || link.type !== LinkType.PRIMARY) return false;',
    replace: 'if (link.type !== LinkType.PRIMARY) return false;',
  },
  'a swap keeps its right to convey (ACL3)': {
    seed: 3,
    file: 'libs/commands/src/rules/link-rules.ts',
    find: 'conveys: mayConvey(caller, { source, target, moves: false }),',
    replace: 'conveys: link.conveys,',
  },
  'undo ignores a later change (HIS2)': {
    seed: 1,
    file: 'libs/commands/src/history/reversal.ts',
    find: 'field in expected && JSON.stringify(now[field] ?? null) !== JSON.stringify(expected[field] ?? null)',
    replace: "field === 'no field' && now !== expected",
  },
  'an expired grant still counts (ACL5)': {
    seed: 1,
    file: 'libs/domain/src/access/access.ts',
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
  'a purge keeps a title (TRS5)': {
    seed: 1,
    file: 'libs/domain/src/access/visibility.ts',
    find: "return recalled ? 'bare' : null;",
    replace: "return recalled ? 'whole' : null;",
  },
  'hidden blockers are counted one by one (LNK9)': {
    seed: 7,
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
    find: 'if (was !== null) move(was, ownerId, count(-1), raises);',
    replace: 'if (was !== null) move(was, ownerId, count(-1), raises && is !== null);',
  },
  'a raised epoch is told without who leaves (ACL7, EVT4)': {
    seed: 2,
    file: 'libs/domain/src/access/departures.ts',
    find: 'return user === null ? raise : joinRaises(raise,',
    replace: 'return user !== email ? raise : joinRaises(raise,',
  },
  "another's private link comes back (LNK6)": {
    seed: 8,
    file: 'libs/commands/src/link/link-add.ts',
    find: '.filter((link) => link.ownerId === caller.id || (!link.private && !wanted.private))',
    replace: '',
  },
  'a copied grant outlives its original (NODE3)': {
    seed: 1,
    file: 'libs/commands/src/rules/granting.ts',
    find: 'draft.asEffect(() => endCopies(draft, grant));',
    replace: '',
  },
  'restoring a node closes a cycle (TRS3)': {
    seed: 4,
    file: 'libs/commands/src/rules/trash.ts',
    find: 'return link.type === LinkType.PRIMARY && draft.path(link.target, link.source) !== null;',
    replace: 'return link.type !== LinkType.PRIMARY && draft.path(link.target, link.source) !== null;',
  },
  'a branch loses what left it in memory alone (ACL2)': {
    seed: 1,
    file: 'libs/graph-store/src/commit/write-statement.ts',
    find: '  DELETE_ROWS,\n',
    replace: '',
  },
  'pages show private links of others (LNK9)': {
    seed: 1,
    file: 'libs/graph-store/src/reads/member-scope.ts',
    find: 'WHERE r.id > $after AND CASE WHEN r.private THEN r.ownerId = $reader ELSE true END\n  WITH',
    replace: 'WHERE r.id > $after AND $reader = $reader\n  WITH',
  },
  'a page is given again though its owners went on (EVT3)': {
    seed: 1,
    file: 'services/worker/src/reads/page-cache.ts',
    find: 'digest(JSON.stringify([access, some, some.map((id) => found.get(id))]));',
    replace: 'digest(JSON.stringify([access, some]));',
  },
  'a page is given again though access moved (ACL1, ACL6)': {
    seed: 1,
    file: 'services/worker/src/reads/page-cache.ts',
    find: 'digest(JSON.stringify([access, some, some.map((id) => found.get(id))]));',
    replace: 'digest(JSON.stringify([some, some.map((id) => found.get(id))]));',
  },
  'hidden nodes are shown (ACL6)': {
    seed: 2,
    file: 'libs/graph-store/src/reads/reader.ts',
    find: 'if (!grant.showing || head === undefined',
    replace: 'if (head === undefined',
  },
};
