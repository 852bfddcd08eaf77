// History and visibility in small worlds, derived by hand from the rules.
import { Op } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { type HistoryQuery, type HistoryScope, historyOf } from './history.ts';
import { visibilityAcross, visibilityOf } from './rules/visibility.ts';
import {
  addBatch,
  addGrant,
  addLink,
  addNode,
  ann,
  bob,
  chain,
  cleo,
  EARLIER,
  NOW,
  user,
  world,
} from './small-world.ts';
import type { ModelNode } from './state.ts';

test('[HIS7] [HIS1] [ACL9] history shows operations on visible entities, in capitalised patches, and tokens to admins', () => {
  const state = world();
  const { root, leaf, lower } = chain(state);
  addGrant(state, leaf, bob, { branch: false });
  const before = { ...leaf, publicToken: 'token', title: 'old' };
  const step = { op: Op.NODE_UPDATE, kind: 'node', id: leaf.id, before, after: leaf, effect: false, part: 0 } as const;
  addBatch(state, 'b1', ann, [
    { op: Op.NODE_ADD, kind: 'node', id: root.id, before: null, after: root, effect: false, part: 0 },
  ]);
  addBatch(state, 'b2', ann, [
    { op: Op.LINK_ADD, kind: 'link', id: lower.id, before: null, after: lower, effect: false, part: 0 },
    step,
  ]);
  expect(historyOf(state, bob, { scope: null }, NOW)).toEqual({
    batches: [
      {
        batchId: 'b2',
        actor: { username: 'ann', email: ann.email },
        ts: EARLIER,
        undone: false,
        ops: [
          {
            id: 1,
            type: 1,
            entityId: leaf.id,
            forwardPatch: { Title: 'title of leaf' },
            inversePatch: { Title: 'old' },
            guard: { Version: 1 },
            createdTime: EARLIER,
          },
        ],
      },
    ],
  });
  const all = historyOf(state, ann, { scope: null }, NOW);
  expect(all).toMatchObject({ batches: [{ batchId: 'b2' }, { batchId: 'b1' }] });
  expect(JSON.stringify(all)).toContain('token');
});

test('[HIS8] scopes: a visible node, its branch, a link, the caller; anything else is invalid', () => {
  const state = world();
  const { root, leaf, lower } = chain(state);
  addBatch(state, 'b1', ann, [
    { op: Op.NODE_ADD, kind: 'node', id: leaf.id, before: null, after: leaf, effect: false, part: 0 },
  ]);
  addBatch(state, 'b2', bob, [
    { op: Op.LINK_ADD, kind: 'link', id: lower.id, before: null, after: lower, effect: false, part: 0 },
  ]);
  const batches = (type: 'GRAPH' | 'NODE' | 'LINK' | 'USER', id: string, reader = ann) => {
    const history = historyOf(state, reader, { scope: { type, id } }, NOW);
    return 'error' in history ? history.error : history.batches.map((batch) => batch.batchId);
  };
  expect(batches('GRAPH', root.id)).toEqual(['b2', 'b1']);
  expect(batches('GRAPH', ann.id)).toEqual(['b2', 'b1']);
  expect(batches('NODE', leaf.id)).toEqual(['b1']);
  expect(batches('NODE', root.id)).toEqual([]);
  expect(batches('LINK', lower.id)).toEqual(['b2']);
  expect(batches('USER', ann.id)).toEqual(['b1']);
  const invalid = 'bad_request.invalid_scope';
  expect(batches('USER', bob.id)).toBe(invalid);
  expect(batches('GRAPH', bob.id)).toBe(invalid);
  expect(batches('NODE', lower.id)).toBe(invalid);
  expect(batches('NODE', leaf.id, bob)).toBe(invalid);
});

test('[HISX1] either order, and only batches of a time, of actors, and with a visible operation of a type', () => {
  const state = world();
  const { root, leaf } = chain(state);
  addGrant(state, leaf, bob, { branch: false });
  const made = (node: ModelNode) =>
    ({ op: Op.NODE_ADD, kind: 'node', id: node.id, before: null, after: node, effect: false, part: 0 }) as const;
  const renamed = { ...made(root), op: Op.NODE_UPDATE, before: root };
  addBatch(state, 'b1', ann, [made(root)]);
  addBatch(state, 'b2', bob, [made(leaf), renamed]);
  const idsOf = (reader: typeof ann, query: HistoryQuery, scope: HistoryScope | null = null) => {
    const history = historyOf(state, reader, { ...query, scope }, NOW);
    return 'error' in history ? history.error : history.batches.map(({ batchId }) => batchId);
  };
  expect(idsOf(ann, { order: 'oldest' })).toEqual(['b1', 'b2']);
  expect(idsOf(ann, { since: EARLIER })).toEqual(['b2', 'b1']);
  expect(idsOf(ann, { since: NOW })).toEqual([]);
  expect(idsOf(ann, { actor: ['bob', 'nobody'] })).toEqual(['b2']);
  expect(idsOf(ann, { ops: [Op.NODE_UPDATE] })).toEqual(['b2']);
  expect(idsOf(ann, { ops: [Op.NODE_UPDATE] }, { type: 'NODE', id: leaf.id })).toEqual([]);
  // The operation that would match is hidden from bob.
  expect(idsOf(bob, { ops: [Op.NODE_UPDATE] })).toEqual([]);
});

test('[TRS5] the owner of a deleted node sees ids, types and times, and no reader sees its title', () => {
  const state = world();
  const root = addNode(state, 'root', ann);
  const gone: ModelNode = { ...root, id: 'gone', title: 'secret' };
  addGrant(state, root, bob);
  const steps = { kind: 'node', id: 'gone', effect: false, part: 0 } as const;
  addBatch(state, 'b1', bob, [{ op: Op.NODE_ADD, ...steps, before: null, after: gone }]);
  addBatch(state, 'b2', ann, [{ op: Op.NODE_DELETE, ...steps, before: gone, after: null }]);
  const bare = { entityId: 'gone', forwardPatch: {}, inversePatch: {}, guard: {} };
  expect(historyOf(state, ann, { scope: null }, NOW)).toMatchObject({ batches: [{ ops: [bare] }, { ops: [bare] }] });
  expect(historyOf(state, bob, { scope: null }, NOW)).toEqual({ batches: [] });
  expect(visibilityOf(state, ann, NOW).titles.has('secret')).toBe(false);
  expect(visibilityOf(state, ann, NOW).ids.has('gone')).toBe(true);
  expect(visibilityOf(state, ann, NOW).emails.has(bob.email)).toBe(true);
});

test('[PUB4] [ACL9] an anonymous reader sees the branch’s texts, no e-mail, and no token except their own', () => {
  const state = world();
  const { root, middle, leaf } = chain(state);
  Object.assign(root, { publicToken: 'token', publicBranch: true });
  Object.assign(middle, { publicToken: 'other', assignee: [bob.email], lastBatchID: 'trashed' });
  addBatch(state, 'b1', ann, [
    { op: Op.NODE_ADD, kind: 'node', id: leaf.id, before: null, after: leaf, effect: false, part: 0 },
  ]);
  const sight = visibilityOf(state, { token: 'token' }, NOW);
  expect(sight.ids).toEqual(new Set(['leaf', 'middle', 'root', 'leaf-middle', 'middle-root', 'b1']));
  expect(sight.emails).toEqual(new Set());
  expect(sight.tokens).toEqual(new Set(['token']));
  expect(sight.titles).toContain('title of leaf');
});

test('[ACL9] [HIS7] [ACL2] a user sees grantees of nodes they administer, owners, past titles and the roots of their own nodes', () => {
  const state = world();
  const { root, leaf } = chain(state);
  const hidden = addNode(state, 'hidden', cleo);
  addLink(state, root, hidden, cleo);
  addGrant(state, hidden, user('dan'));
  addGrant(state, leaf, bob, { branch: false });
  const before = { ...leaf, title: 'old' };
  addBatch(state, 'b1', cleo, [
    { op: Op.NODE_UPDATE, kind: 'node', id: leaf.id, before, after: leaf, effect: false, part: 0 },
  ]);
  const seen = visibilityOf(state, bob, NOW);
  expect(seen.ids).toEqual(new Set([bob.id, leaf.id, 'b1']));
  expect(seen.titles).toEqual(new Set(['', 'old', 'title of leaf']));
  expect(seen.emails).toEqual(new Set([bob.email, ann.email, cleo.email]));
  const own = visibilityOf(state, ann, NOW);
  expect(own.ids.has('hidden')).toBe(true);
  expect(own.titles.has('title of hidden')).toBe(false);
  expect(own.emails).toEqual(new Set([ann.email, bob.email, cleo.email]));
});

test('[ACL7] [EVT1] a reader who loses a node may be sent the batch that removed it, with its actor', () => {
  const state = world();
  const root = addNode(state, 'root', ann);
  addGrant(state, root, bob);
  const after = structuredClone(state);
  after.nodes[0]!.inTrash = true;
  after.grants.splice(0);
  const step = {
    op: Op.NODE_TRASH,
    kind: 'node',
    id: 'root',
    before: root,
    after: after.nodes[0]!,
    effect: false,
    part: 0,
  } as const;
  addBatch(after, 'b1', ann, [step], NOW);
  expect(visibilityOf(after, bob, NOW).ids.has('b1')).toBe(false);
  const across = visibilityAcross({ state, now: EARLIER }, { state: after, now: NOW }, bob);
  expect(across.ids.has('b1')).toBe(true);
  expect(across.emails).toEqual(new Set([ann.email, bob.email]));
});
