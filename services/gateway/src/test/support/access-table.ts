// The access table: each operation, the events before it, and its outcome for each kind of access.
// It is derived from the rules, to be compared with the service: ACL1 to ACL10, LNK2, LNK5, LNK7,
// LNK10, CLAIM1 to CLAIM3, NODE3, NODE5, PUB1, TRS2, TRS4, TRS5, HIS3, HIS8, GEN3, GEN7, GEN10.
import { alone, child, grantBranch, rename, together } from './access-composites.ts';
import { COLUMNS, type Column, type Fixture, type Step } from './access-fixture.ts';

/**
 * Outcomes in the order of the columns: owner; admin, editor, viewer by a grant on the node alone;
 * admin, editor, viewer by a branch grant on its parent; owner of a tree that contains it; admin
 * whose grant has ended; user without access. `+`: may, `F`: forbidden, `N`: not_found, `S`:
 * bad_request.invalid_scope, `-`: not applicable.
 */
const OWNER = '+ F F F F F F F F F';
const SHARERS = '+ F F F + F F F F F';
const ADMINS = '+ + F F + F F F F F';
const EDITORS = '+ + + F + + F F F F';
const VIEWERS = '+ + + + + + + + F F';
/** A trashed node belongs to no branch and no tree: only grants on it remain. */
const ADMINS_OF_IT = '+ + F F F F F F F F';
const EDITORS_OF_IT = '+ + + F F F F F F F';
const VIEWERS_OF_IT = '+ + + + F F F F F F';
/** The users with a grant of their own on it. */
const OWN_GRANT = 'N + + + N N N N F F';
/**
 * History reveals no existence to unpermitted callers; neither do undo, redo and others' private
 * links.
 */
const SCOPE = '+ + + + + + + + S S';
const EDITORS_OF_BATCH = '+ + + F + + F F N N';
const HIDDEN = '+ N N N N N N N N N';
/** The owner of a link, while they see both ends; or always. */
const MAKER = '+ + + + + + + + F -';
const MAKER_EVER = '+ + + + + + + + + -';

const UNKNOWN = '01890000-0000-7123-8000-000000000002';

export interface Row {
  /** The rules and the action. */
  readonly title: string;
  readonly event: string;
  readonly steps: readonly Step[];
  readonly payload: (fixture: Fixture) => object;
  readonly outcomes: string;
  /** The code for permitted callers; null if the operation succeeds. */
  readonly then: string | null;
}

const node =
  (fields: object = {}) =>
  (fixture: Fixture) => ({ id: fixture.node, ...fields });
const link =
  (fields: object = {}) =>
  (fixture: Fixture) => ({ id: fixture.link, ...fields });
const guest =
  (fields: object = {}) =>
  (fixture: Fixture) => ({
    id: fixture.node,
    email: fixture.people.guest,
    ...fields,
  });
const own = ({ node: id, people }: Fixture) => ({ id, email: people.caller.email });
const batch = (fixture: Fixture) => ({ batchId: fixture.batch });
const fromIt = (fixture: Fixture) => ({ source: fixture.node, target: fixture.other });
const toIt = (fixture: Fixture) => ({ source: fixture.other, target: fixture.node });
const oldestFirst = (fixture: Fixture) => ({ ...scope('GRAPH')(fixture), order: 'oldest', ops: [0, 1] });
const scope = (scopeType: string) => (fixture: Fixture) => ({
  scopeType,
  scopeId: scopeType === 'LINK' ? fixture.link : fixture.node,
});

type Tuple = [Row['title'], Row['event'], Step[], Row['payload'], Row['outcomes'], then?: string];

const nodes: Tuple[] = [
  ['NODE3 NODE5 GEN7: a child', 'node:add', [], (fixture) => ({ target: fixture.node }), EDITORS],
  [
    'NODE5 TRS2: a child in the trash',
    'node:add',
    ['trash'],
    (fixture) => ({ target: fixture.node }),
    EDITORS_OF_IT,
    'conflict.target_in_trash',
  ],
  ['ACL1', 'node:update', [], node({ title: 'new' }), EDITORS],
  ['ACL1 GEN3 GEN10: stale', 'node:update', [], node({ title: 'new', version: 99 }), EDITORS, 'version_conflict'],
  ['TRS2 TRS4: in the trash', 'node:update', ['trash'], node({ title: 'new' }), EDITORS_OF_IT, 'conflict.in_trash'],
  ['ACL1', 'node:trash', [], node(), EDITORS],
  ['TRS2 TRS4: in the trash', 'node:trash', ['trash'], node(), EDITORS_OF_IT, 'conflict.already_trashed'],
  ['TRS2', 'node:restore', ['trash'], node(), EDITORS],
  ['TRS2 GEN3: not in the trash', 'node:restore', [], node(), EDITORS, 'not_trashed_node'],
  ['TRS5', 'node:delete', ['trash'], node(), OWNER],
  ['TRS5 GEN3: not in the trash', 'node:delete', [], node(), OWNER, 'not_trashed_node'],
];

const claims: Tuple[] = [
  ['CLAIM1 GEN7: by its id', 'node:claim', [], node(), EDITORS],
  ['CLAIM1 TRS2: in the trash', 'node:claim', ['trash'], node(), EDITORS_OF_IT, 'conflict.in_trash'],
  [
    'CLAIM2 GEN7: of another agent',
    'node:claim:renew',
    [],
    node({ claimId: UNKNOWN }),
    EDITORS,
    'conflict.claim_ended',
  ],
  ['CLAIM3 GEN7: of any agent', 'node:claim:release', [], node(), EDITORS],
  ['CLAIM3 TRS2: in the trash', 'node:claim:release', ['trash'], node(), EDITORS_OF_IT, 'conflict.in_trash'],
];

const publishing: Tuple[] = [
  ['PUB1 ACL4: the branch', 'node:publish', [], node(), SHARERS],
  ['PUB1 ACL4: the node alone', 'node:publish', [], node({ branch: false }), ADMINS],
  ['PUB1: again', 'node:publish', ['publish alone'], node({ branch: false }), ADMINS, 'conflict.already_public'],
  ['PUB1 TRS4', 'node:publish', ['trash'], node({ branch: false }), ADMINS_OF_IT, 'conflict.in_trash'],
  ['PUB1 ACL4: of a branch', 'node:publish:update', ['publish branch'], node({ due: null }), SHARERS],
  ['PUB1 ACL4: of a node alone', 'node:publish:update', ['publish alone'], node({ due: null }), ADMINS],
  ['PUB1 ACL4: to the branch', 'node:publish:update', ['publish alone'], node({ branch: true }), SHARERS],
  ['PUB1: nothing public', 'node:publish:update', [], node({ due: null }), ADMINS, 'conflict.not_public'],
  ['PUB1 ACL4: a branch', 'node:unpublish', ['publish branch'], node(), SHARERS],
  ['PUB1 ACL4: a node alone', 'node:unpublish', ['publish alone'], node(), ADMINS],
  ['PUB1: nothing public', 'node:unpublish', [], node(), ADMINS, 'conflict.not_public'],
];

const grants: Tuple[] = [
  ['ACL4: the branch', 'node:access', [], guest(), SHARERS],
  ['ACL4: the node alone', 'node:access', [], guest({ branch: false }), ADMINS],
  ['ACL4: over a branch grant', 'node:access', ['grant branch'], guest({ branch: false }), SHARERS],
  [
    'ACL4: to the owner',
    'node:access',
    [],
    (fixture) => ({ id: fixture.node, email: fixture.people.owner.email, branch: false }),
    ADMINS,
    'bad_request.owner_grant',
  ],
  ['ACL4 TRS2: in the trash', 'node:access', ['trash'], guest({ branch: false }), ADMINS_OF_IT, 'conflict.in_trash'],
  ['ACL4: of a branch', 'node:access:update', ['grant branch'], guest({ level: 2 }), SHARERS],
  ['ACL4: of a node alone', 'node:access:update', ['grant alone'], guest({ level: 2 }), ADMINS],
  ['ACL4: to the branch', 'node:access:update', ['grant alone'], guest({ branch: true }), SHARERS],
  ['ACL4 GEN3: of an unknown e-mail', 'node:access:update', [], guest({ level: 2 }), ADMINS, 'not_found'],
  ['ACL4: of a branch', 'node:access:delete', ['grant branch'], guest(), SHARERS],
  ['ACL4: of a node alone', 'node:access:delete', ['grant alone'], guest(), ADMINS],
  ['ACL4 GEN3: of an unknown e-mail', 'node:access:delete', [], guest(), ADMINS, 'not_found'],
  ['ACL4 TRS2: in the trash', 'node:access:delete', ['grant alone', 'trash'], guest(), ADMINS_OF_IT],
  ['ACL10: one’s own', 'node:access:delete', [], own, OWN_GRANT],
  ['ACL10 TRS2: one’s own, in the trash', 'node:access:delete', ['trash'], own, 'N + + + F F F F F F'],
  ['ACL9 GEN7', 'node:access:list', ['grant branch'], node(), VIEWERS],
  ['ACL6 GEN3: one’s own grant', 'node:showing', [], node({ showing: false }), OWN_GRANT],
];

const reads: Tuple[] = [
  ['NGET2 GEN7', 'node:get', [], node(), VIEWERS],
  ['NGET2 TRS2: in the trash', 'node:get', ['trash'], node(), '+ + + N + + F F F F'],
  ['FIND1 GEN7: in a branch', 'node:find', [], (fixture) => ({ root: fixture.node }), VIEWERS],
  ['PUB3 GEN7', 'branch:get', [], (fixture) => ({ root: fixture.node }), VIEWERS],
  ['WHY2 GEN7', 'node:why', [], node(), VIEWERS],
  ['WHY2 ACL9: everybody’s ways', 'node:why', ['grant branch'], node({ all: true }), ADMINS],
  ['WHY3 TRS2: in the trash', 'node:why', ['trash'], node(), VIEWERS_OF_IT, 'not_found'],
  ['HIS8', 'history:page', [], scope('NODE'), SCOPE],
  ['HIS8', 'history:page', [], scope('GRAPH'), SCOPE],
  ['HISX1: oldest first', 'history:page', [], oldestFirst, SCOPE],
  ['HIS8', 'history:page', ['link in'], scope('LINK'), SCOPE],
  ['HIS8 LNK9: of a private link', 'history:page', ['private link in'], scope('LINK'), '+ S S S S S S S S S'],
];

const undoing: Tuple[] = [
  ['BAT3 NODE3: a child, and its name', 'batch:run', [], together(child, rename('$child')), EDITORS],
  ['BAT3 GEN7: a call for every reader, and then the node', 'batch:run', [], together(alone, rename()), EDITORS],
  ['BAT3 ACL4: a branch grant among others', 'batch:run', [], together(alone, grantBranch), SHARERS],
  ['BAT6 GEN10: stale', 'batch:run', [], together(rename(), rename(undefined, 1)), EDITORS, 'version_conflict'],
  ['HIS3: a new name', 'batch:undo', ['rename'], batch, EDITORS_OF_BATCH],
  ['HIS3 HIS5: again', 'batch:undo', ['rename', 'undo'], batch, EDITORS_OF_BATCH, 'conflict.already_undone'],
  ['HIS3: a new name', 'batch:redo', ['rename', 'undo'], batch, EDITORS_OF_BATCH],
  ['HIS3 HIS5: not undone', 'batch:redo', ['rename'], batch, EDITORS_OF_BATCH, 'conflict.not_undone'],
  ['HIS3 TRS2: a trashing', 'batch:undo', ['trash'], batch, EDITORS_OF_BATCH],
  ['HIS3 ACL4 ACL9: a branch grant', 'batch:undo', ['grant branch'], batch, '+ F N N + N N N N N'],
  ['HIS3 PUB1: a publication', 'batch:undo', ['publish branch'], batch, '+ F F F + F F F N N'],
  ['HIS3 LNK7: a link to it', 'batch:undo', ['link in'], batch, EDITORS_OF_BATCH],
  ['HIS3 LNK9: a private link', 'batch:undo', ['private link in'], batch, HIDDEN],
];

const links: Tuple[] = [
  ['LNK2: from it', 'link:add', ['own node'], fromIt, VIEWERS],
  ['LNK2: to it', 'link:add', ['own node'], toIt, VIEWERS],
  ['LNK2 LNK5: twice', 'link:add', ['link in'], toIt, VIEWERS, 'conflict.duplicate_link'],
  ['LNK2 TRS2: to it, in the trash', 'link:add', ['own node', 'trash'], toIt, VIEWERS_OF_IT, 'conflict.in_trash'],
  ['LNK7: to it', 'link:trash', ['link in'], link(), EDITORS],
  ['LNK7: from it to a node that the caller sees', 'link:trash', ['link out to a viewer'], link(), ADMINS],
  ['LNK7: from it to a node that the caller edits', 'link:trash', ['link out to an editor'], link(), VIEWERS],
  ['LNK7: to it', 'link:restore', ['link in', 'trash link'], link(), EDITORS],
  ['LNK7: from it, seen', 'link:restore', ['link out to a viewer', 'trash link'], link(), OWNER],
  ['LNK7: from it, edited', 'link:restore', ['link out to an editor', 'trash link'], link(), VIEWERS],
  ['LNK7 GEN3: not in the trash', 'link:restore', ['link in'], link(), EDITORS, 'not_trashed_link'],
  ['LNK7: to it', 'link:swap', ['link in'], link(), EDITORS],
  ['LNK7: from it, seen', 'link:swap', ['link out to a viewer'], link(), OWNER],
  ['LNK7: from it, edited', 'link:swap', ['link out to an editor'], link(), VIEWERS],
  ['LNK7 TRS4: in the trash', 'link:swap', ['link in', 'trash link'], link(), EDITORS, 'conflict.in_trash'],
  ['LNK10: type, to it', 'link:update', ['link in'], link({ type: 1 }), EDITORS],
  ['LNK10: type, from it, seen', 'link:update', ['link out to a viewer'], link({ type: 1 }), OWNER],
  ['LNK10: type, from it, edited', 'link:update', ['link out to an editor'], link({ type: 1 }), VIEWERS],
  ['LNK10: private', 'link:update', ['link in'], link({ private: true }), OWNER],
  ['LNK10: to it', 'link:delete', ['link in', 'trash link'], link(), ADMINS],
  ['LNK10: from it, edited', 'link:delete', ['link out to an editor', 'trash link'], link(), OWNER],
  ['LNK10 GEN3: not in the trash', 'link:delete', ['link in'], link(), ADMINS, 'not_trashed_link'],
];

const othersLinks: Tuple[] = [
  ['LNK9 GEN7: private', 'link:trash', ['private link in'], link(), HIDDEN],
  ['LNK9 GEN7: private', 'link:restore', ['private link in', 'trash link'], link(), HIDDEN],
  ['LNK9 GEN7: private', 'link:swap', ['private link in'], link(), HIDDEN],
  ['LNK9 GEN7: private', 'link:update', ['private link in'], link({ private: false }), HIDDEN],
  ['LNK9 GEN7: private', 'link:delete', ['private link in', 'trash link'], link(), HIDDEN],
];

const ownLinks: Tuple[] = [
  ['LNK7: one’s own', 'link:trash', ['own link out'], link(), MAKER_EVER],
  ['LNK7: one’s own', 'link:restore', ['own link out', 'trash link'], link(), MAKER],
  ['LNK7: one’s own', 'link:swap', ['own link out'], link(), MAKER],
  ['LNK10: type of one’s own', 'link:update', ['own link out'], link({ type: 1 }), MAKER],
  ['LNK10: privacy of one’s own', 'link:update', ['own link out'], link({ private: true }), '+ + + + + + + + - -'],
  ['LNK10: one’s own', 'link:delete', ['own link out', 'trash link'], link(), MAKER_EVER],
];

export const TABLE: readonly Row[] = [
  ...nodes,
  ...claims,
  ...publishing,
  ...grants,
  ...reads,
  ...undoing,
  ...links,
  ...othersLinks,
  ...ownLinks,
].map(([title, event, steps, payload, outcomes, then = null]) => {
  const [rules = '', what] = title.split(': ');
  return { title: `[${rules}] ${event}${what ? `: ${what}` : ''}`, event, steps, payload, outcomes, then };
});

const READS = new Set(['node:why', 'node:get', 'node:find', 'branch:get', 'history:page', 'node:access:list']);
export const isRead = ({ event }: Row) => READS.has(event);

/** A letter of the row's outcomes. */
export const outcomeIn = (row: Row, column: Column) => row.outcomes.split(' ')[COLUMNS.indexOf(column)] as string;

/** The expected error code of a case, or null. */
export function wantedOf(row: Row, column: Column): string | null {
  const codes: Record<string, string | null> = { '+': row.then, F: 'forbidden', N: 'not_found' };
  codes.S = 'bad_request.invalid_scope';
  return codes[outcomeIn(row, column)] as string | null;
}

/** Each operation on one entity, with an unknown id (GEN7). The other end of a link exists. */
export const UNKNOWN_IDS: readonly [event: string, payload: (known: string) => object][] = [
  ['node:add', () => ({ target: UNKNOWN })],
  ['node:update', () => ({ id: UNKNOWN, title: 'new' })],
  ['node:trash', () => ({ id: UNKNOWN })],
  ['node:restore', () => ({ id: UNKNOWN })],
  ['node:delete', () => ({ id: UNKNOWN })],
  ['node:claim', () => ({ id: UNKNOWN })],
  ['node:claim:renew', (known) => ({ id: UNKNOWN, claimId: known })],
  ['node:claim:release', () => ({ id: UNKNOWN })],
  ['node:publish', () => ({ id: UNKNOWN })],
  ['node:publish:update', () => ({ id: UNKNOWN, due: null })],
  ['node:unpublish', () => ({ id: UNKNOWN })],
  ['node:access', () => ({ id: UNKNOWN, email: 'a@example.com' })],
  ['node:access:update', () => ({ id: UNKNOWN, email: 'a@example.com', level: 2 })],
  ['node:access:delete', () => ({ id: UNKNOWN, email: 'a@example.com' })],
  ['node:access:list', () => ({ id: UNKNOWN })],
  ['node:why', () => ({ id: UNKNOWN })],
  ['node:get', () => ({ id: UNKNOWN })],
  ['node:find', () => ({ root: UNKNOWN })],
  ['node:showing', () => ({ id: UNKNOWN, showing: true })],
  ['link:add', (known) => ({ source: UNKNOWN, target: known })],
  ['link:add', (known) => ({ source: known, target: UNKNOWN })],
  ['link:trash', () => ({ id: UNKNOWN })],
  ['link:restore', () => ({ id: UNKNOWN })],
  ['link:swap', () => ({ id: UNKNOWN })],
  ['link:update', () => ({ id: UNKNOWN, type: 1 })],
  ['link:delete', () => ({ id: UNKNOWN })],
  // The id of a node is not that of a link or a batch.
  ['link:trash', (known) => ({ id: known })],
  ['batch:undo', (known) => ({ batchId: known })],
  ['batch:undo', () => ({ batchId: UNKNOWN })],
  ['batch:redo', () => ({ batchId: UNKNOWN })],
  ['branch:get', () => ({ root: UNKNOWN })],
];
