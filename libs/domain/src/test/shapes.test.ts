// The fields that clients see, each with its kind, exactly as docs/interface.md lists them.
import { type FieldKind, NODE_SHAPE } from '@taskgraph/reference-model/node-fields';
import { Level, Op } from '@taskgraph/wire/codes';
import { composeId } from '@taskgraph/wire/ids';
import { describe, expect, test } from 'vitest';
import type { GrantChange, LinkChange, NodeChange } from '../state/change.ts';
import type { GrantState, LinkState, NodeState } from '../state/state.ts';
import { historyOperations, storedChanges } from '../views/history.ts';
import { viewDiff, viewGrant, viewLink, viewNode, viewUndoDiff } from '../views/view.ts';

const id = (count: number) => composeId(7, 1_700_000_000_000, count, new Uint8Array(6));
const actor = { id: id(0), username: 'ann', email: 'ann@example.com' };
const early = '2026-01-01T00:00:00.000Z';
const now = '2026-01-02T00:00:00.000Z';

/** A value of each kind. */
const samples: Readonly<Record<FieldKind, unknown>> = {
  'an id': id(8),
  'a text': 'a',
  'a time': early,
  'an integer': 4,
  'an integer from 0 to 3': 2,
  'a number': 0.5,
  'true or false': true,
  'a list of texts': ['c'],
  'a list of ids': [id(5)],
};
const nullable = NODE_SHAPE.filter(([, , orNull]) => orNull !== undefined);
const node = {
  ...Object.fromEntries(NODE_SHAPE.map(([field, kind]) => [field, samples[kind]])),
  id: id(1),
  ownerId: actor.id,
  statusBefore: 1,
  openBlockers: 3,
  inTrash: false,
} as unknown as NodeState;
const bare: NodeState = { ...node, ...Object.fromEntries(nullable.map(([field]) => [field, null])) };
const link: LinkState = {
  id: id(2),
  source: id(3),
  target: node.id,
  type: 0,
  version: 1,
  wasBlocker: true,
  private: false,
  ownerId: actor.id,
  conveys: true,
  inTrash: false,
  trashedWithNode: false,
  trashedBy: null,
  lastBatchID: id(8),
  createdTime: early,
  lastEditedTime: early,
};
const grant: GrantState = {
  nodeId: node.id,
  email: 'bob@example.com',
  level: 2,
  due: now,
  branch: true,
  version: 1,
  showing: true,
  copyOf: null,
};
const projection = {
  ownerNames: () => actor,
  access: () => Level.OWNER,
  rootsOf: () => [id(5)],
  showsToken: () => true,
};

const updated: NodeChange = {
  kind: 'node',
  op: Op.NODE_STATUS,
  id: node.id,
  before: node,
  fields: ['status'],
  after: { ...node, status: 1, version: 5, lastEditedTime: now },
};
const swapped: LinkChange = {
  kind: 'link',
  op: Op.LINK_SWAP,
  id: link.id,
  before: link,
  fields: ['source', 'target'],
  after: { ...link, source: link.target, target: link.source, version: 2, lastEditedTime: now },
};
const granted: GrantChange = {
  kind: 'grant',
  op: Op.GRANT_UPDATE,
  id: node.id,
  before: grant,
  fields: ['level'],
  after: { ...grant, level: 3, version: 2 },
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isText = (value: unknown) => typeof value === 'string';
const isId = (value: unknown) => isText(value) && UUID.test(value as string);
const isTime = (value: unknown) => isText(value) && TIME.test(value as string);
const listOf = (holds: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(holds);
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const kinds = {
  'a text': isText,
  'an id': isId,
  'a time': isTime,
  'an integer': Number.isInteger,
  'an integer from 0 to 3': (value: unknown) => [0, 1, 2, 3].includes(value as number),
  'a number': Number.isFinite,
  'true or false': (value: unknown) => typeof value === 'boolean',
  'a list of texts': listOf(isText),
  'a list of ids': listOf(isId),
  'a list': Array.isArray,
  'an object': isObject,
} as const;
type Kind = keyof typeof kinds;
type Fields = [field: string, holds: Kind, orNull?: 'or null'][];

const linkFields: Fields = [
  ['id', 'an id'],
  ['source', 'an id'],
  ['target', 'an id'],
  ['type', 'an integer'],
  ['version', 'an integer'],
  ['wasBlocker', 'true or false'],
  ['private', 'true or false'],
  ['inTrash', 'true or false'],
  ['lastBatchID', 'an id', 'or null'],
  ['shareRoots', 'a list of ids'],
  ['createdTime', 'a time'],
  ['lastEditedTime', 'a time'],
];

const grantFields: Fields = [
  ['id', 'an id'],
  ['email', 'a text'],
  ['level', 'an integer'],
  ['due', 'a time', 'or null'],
  ['branch', 'true or false'],
  ['version', 'an integer'],
];

const operationFields: Fields = [
  ['id', 'an integer'],
  ['type', 'an integer'],
  ['entityId', 'an id'],
  ['forwardPatch', 'an object'],
  ['inversePatch', 'an object'],
  ['guard', 'an object'],
  ['createdTime', 'a time'],
];

const diffFields: Fields = [
  ['batchId', 'an id'],
  ['actor', 'an object'],
  ['ts', 'a time'],
  ['nodes', 'a list'],
  ['links', 'a list'],
  ['access', 'a list'],
  ['user', 'a list'],
];

const batch = { id: id(9), actor, now };
const [operation] = historyOperations(storedChanges([updated]), now);

/** A view, and the same view with all optional values empty. */
type Shape = [what: string, fields: Fields, whole: object, bare: object];
const shapes: Shape[] = [
  ['a node', NODE_SHAPE, viewNode(node, projection), viewNode(bare, projection)],
  ['a link', linkFields, viewLink(link, projection), viewLink({ ...link, lastBatchID: null }, projection)],
  ['a grant', grantFields, viewGrant(grant), viewGrant({ ...grant, due: null })],
  ['an operation in history', operationFields, operation ?? {}, operation ?? {}],
  ['a diff', diffFields, viewDiff([updated, swapped, granted], batch, projection), viewDiff([], batch, projection)],
];

describe.each(shapes)('[WIRE4] the fields of %s', (_what, fields, whole, without) => {
  test.each(fields)('%s is %s', (field, holds, orNull) => {
    const [there, absent] = [whole, without].map((shown) => (shown as Record<string, unknown>)[field]);
    expect([there, kinds[holds](there)]).toEqual([there, true]);
    expect(orNull === undefined ? kinds[holds](absent) : absent === null).toBe(true);
  });

  test('there are no others', () => {
    const names = fields.map(([field]) => field).sort();
    for (const shown of [whole, without]) expect(Object.keys(shown).sort()).toEqual(names);
  });
});

test('[WIRE5] a diff entry has op, before and after, and `user` is empty', () => {
  const { nodes, links, access, user } = viewDiff([updated, swapped, granted], batch, projection);
  const all = [...nodes, ...links, ...access];
  expect(all).toHaveLength(3);
  for (const entry of all) {
    expect(Object.keys(entry)).toEqual(['op', 'before', 'after']);
    expect([kinds['an integer'](entry.op), isObject(entry.before), isObject(entry.after)]).toEqual([true, true, true]);
  }
  expect(user).toEqual([]);
});

test("[HIS6] the diff of an undo has flat partial snapshots of nodes and links beside the entry's fields", () => {
  const shown = viewUndoDiff([updated, swapped], batch, projection);
  expect(shown).not.toHaveProperty('access');
  const after = { id: node.id, version: 5, status: 1, shareRoots: [id(5)], lastEditedTime: now };
  const before = { id: node.id, version: 4, status: 2 };
  expect(shown.nodes).toEqual([{ ...after, op: Op.NODE_STATUS, before, after }]);
  expect(shown.links).toMatchObject([{ id: link.id, source: link.target, version: 2, op: Op.LINK_SWAP }]);
});

test('[HIS6] the diff of an undo lists grants only if there are any', () => {
  const { access } = viewUndoDiff([granted], batch, projection);
  expect(access).toMatchObject([
    { id: node.id, email: grant.email, level: 3, op: Op.GRANT_UPDATE, before: { level: 2 } },
  ]);
});
