// Mutants of the store and of pages. The reference model must detect each.
import type { KnownMutant } from '@taskgraph/reference-model/mutants';

/** Mutants by the behaviour that they break. */
export const MUTANTS: Readonly<Record<string, KnownMutant>> = {
  'membership rows of removed nodes are not deleted from the database (ACL2)': {
    seed: 1,
    file: 'libs/graph-store/src/commit/write-statement.ts',
    find: '  DELETE_ROWS,\n',
    replace: '',
  },
  'a stale cached page is served after access changed (ACL1, ACL6)': {
    seed: 1,
    file: 'services/worker/src/reads/cache/page-cache.ts',
    find: 'digest(JSON.stringify([access, some, some.map((id) => found.get(id))]));',
    replace: 'digest(JSON.stringify([some, some.map((id) => found.get(id))]));',
  },
  'history shows the content of a deleted entity (TRS5)': {
    seed: 1,
    file: 'libs/domain/src/access/trash-visibility.ts',
    find: "return recalled ? 'bare' : null;",
    replace: "return recalled ? 'whole' : null;",
  },
  'pages show private links of other users (LNK9)': {
    seed: 1,
    file: 'libs/graph-store/src/reads/member-scope.ts',
    find: "const SHOWN = 'CASE WHEN r.private THEN r.ownerId = $reader ELSE true END';",
    replace: "const SHOWN = '$reader = $reader';",
  },
  'a stale cached page is served after its owners changed (EVT3)': {
    seed: 1,
    file: 'services/worker/src/reads/cache/page-cache.ts',
    find: 'digest(JSON.stringify([access, some, some.map((id) => found.get(id))]));',
    replace: 'digest(JSON.stringify([access, some]));',
  },
  'pages show nodes of hidden grants (ACL6)': {
    seed: 2,
    file: 'libs/graph-store/src/reads/reader.ts',
    find: 'if (!grant.showing || head === undefined',
    replace: 'if (head === undefined',
  },
  'an explanation continues through invisible nodes (WHY1)': {
    seed: 1,
    file: 'libs/domain/src/why/chain.ts',
    find: 'if (node !== start && !sees(node)) {',
    replace: "if (node !== start && !sees(node) && node.id === 'nobody') {",
  },
  'an explanation names a publication to readers who may not see its token (WHY2, ACL9)': {
    seed: 2,
    file: 'libs/domain/src/why/access-paths.ts',
    find: 'if (!seesToken(root.level) || !node.feeds.includes(publicFeedOf(root))) return [];',
    replace: 'if (root.level === null || !node.feeds.includes(publicFeedOf(root))) return [];',
  },
  'a plan does not report hidden blockers (PLAN2)': {
    seed: 1,
    file: 'services/worker/src/reads/why/hidden-blockers.ts',
    find: 'if (!isOpenTo(link, reader) || !isSeen) unseen.add(link.target);',
    replace: 'if (!isOpenTo(link, reader)) unseen.add(link.target);',
  },
  'a webhook reports a date that had passed when it was set (HOOK5)': {
    seed: 1,
    file: 'libs/domain/src/webhooks/due-events.ts',
    find: "field === 'dueDate' ? before.dueDate !== node.dueDate :",
    replace: "field === 'dueDate' ? before.dueDate === node.id :",
  },
  'a webhook reports a node that was in the trash at its date (HOOK5)': {
    seed: 1,
    file: 'libs/domain/src/webhooks/due-events.ts',
    find: "if (op === Op.NODE_RESTORE && !known.has('trash')) return false;",
    replace: '',
  },
};
