import { Level, Op, Status } from '@taskgraph/wire/codes';
import { diff as diffSchema, wireLink, wireNode } from '@taskgraph/wire/entities';
import { composeId } from '@taskgraph/wire/ids';
import { expect, test } from 'vitest';
import { type Change, isVisible, type LinkChange, type NodeChange, type VisibleChange } from '../state/change.ts';
import { newNode } from '../state/new-entities.ts';
import type { LinkState, NodeState } from '../state/state.ts';
import { changesOfStored, historyOperations, storedChanges } from './history.ts';
import { viewDiff, viewPageLink, viewTrashLink, viewTrashNode } from './view.ts';

const id = (count: number) => composeId(7, 1_700_000_000_000, count, new Uint8Array(6));
const actor = { id: id(0), username: 'ann', email: 'ann@example.com' };
const early = '2026-01-01T00:00:00.000Z';
const now = '2026-01-02T00:00:00.000Z';

const node: NodeState = {
  ...newNode({ id: id(1), ownerId: actor.id }, early, { title: 'old', tags: ['a'], status: 2 }),
  statusBefore: 1,
  openBlockers: 3,
  version: 4,
};
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
  lastBatchID: null,
  createdTime: early,
  lastEditedTime: early,
};

function nodeStep(op: Op, before: NodeState, patch: Partial<NodeState>): NodeChange {
  const after = { ...before, ...patch, version: before.version + 1, lastEditedTime: now };
  return { kind: 'node', op, id: before.id, before, after, fields: Object.keys(patch) as (keyof NodeState)[] };
}

function linkStep(op: Op, before: LinkState, patch: Partial<LinkState>): LinkChange {
  const after = { ...before, ...patch, version: before.version + 1, lastEditedTime: now };
  return { kind: 'link', op, id: before.id, before, after, fields: Object.keys(patch) as (keyof LinkState)[] };
}

const made: Change = { kind: 'node', op: Op.NODE_ADD, id: node.id, before: null, after: node, fields: [] };
const gone: Change = { kind: 'link', op: Op.LINK_DELETE, id: link.id, before: link, after: null, fields: [] };
const projection = { ownerNames: () => actor, access: () => undefined, rootsOf: () => [], showsToken: () => true };
const batch = { id: id(9), actor, now };
const view = (...changes: VisibleChange[]) => viewDiff(changes, batch, projection);

const updated = nodeStep(Op.NODE_UPDATE, node, { title: 'new', tags: ['a', 'b'] });
const unblocked = nodeStep(Op.NODE_STATUS, node, { status: 1, statusBefore: null });
const restored = nodeStep(Op.NODE_RESTORE, { ...node, inTrash: true }, { inTrash: false });
const swapped = linkStep(Op.LINK_SWAP, link, { source: link.target, target: link.source, conveys: false });
const linkBack = linkStep(
  Op.LINK_RESTORE,
  { ...link, inTrash: true, trashedWithNode: true },
  { inTrash: false, trashedWithNode: false },
);

test('[WIRE5] the diff names its batch, actor and time, and has all four lists', () => {
  const shown = view(updated, swapped);
  expect(shown).toMatchObject({ batchId: batch.id, ts: now, access: [], user: [] });
  expect(shown.actor).toEqual({ username: 'ann', email: 'ann@example.com' });
  expect(shown).not.toHaveProperty('skipped');
});

test('[WIRE5] an existing entity shows the changed fields with id and version, and in `after` also shareRoots and lastEditedTime', () => {
  expect(view(updated, swapped)).toMatchObject({ nodes: [{ op: Op.NODE_UPDATE }], links: [{ op: Op.LINK_SWAP }] });
  expect(view(updated).nodes[0]).toEqual({
    op: Op.NODE_UPDATE,
    before: { id: node.id, version: 4, title: 'old', tags: ['a'] },
    after: { id: node.id, version: 5, title: 'new', tags: ['a', 'b'], shareRoots: [], lastEditedTime: now },
  });
  expect(view(swapped).links[0]).toEqual({
    op: Op.LINK_SWAP,
    before: { id: link.id, version: 1, source: link.source, target: link.target },
    after: {
      id: link.id,
      version: 2,
      source: link.target,
      target: link.source,
      shareRoots: [],
      lastEditedTime: now,
    },
  });
});

test('[GEN6] a status is written in lower case, and internal fields are not shown', () => {
  expect(view(unblocked).nodes[0]).toEqual({
    op: Op.NODE_STATUS,
    before: { id: node.id, version: 4, status: 2 },
    after: { id: node.id, version: 5, status: 1, shareRoots: [], lastEditedTime: now },
  });
});

test('[WIRE5] a creation has an empty `before` and the full entity as `after`', () => {
  const [entry] = view(made).nodes;
  expect(entry).toMatchObject({ op: Op.NODE_ADD, before: {} });
  expect(wireNode.parse(entry?.after)).toMatchObject({ title: 'old', ownerUsername: 'ann', version: 4 });
});

test('[WIRE5] a permanent deletion has the full entity as `before`', () => {
  const [entry] = view(gone).links;
  expect(wireLink.parse(entry?.before)).toMatchObject({ source: link.source, private: false });
  expect(entry?.after).toEqual({ id: link.id, deleted: true, shareRoots: [] });
});

test('[WIRE5] a restored entity is shown in full', () => {
  const { nodes, links } = view(restored, linkBack);
  expect(nodes[0]?.before).toEqual({ id: node.id, version: 4, inTrash: true });
  expect(wireNode.parse(nodes[0]?.after)).toMatchObject({ title: 'old', inTrash: false, version: 5 });
  expect(links[0]?.before).toEqual({ id: link.id, version: 1, inTrash: true });
  expect(wireLink.parse(links[0]?.after)).toMatchObject({ source: link.source, version: 2 });
});

test('[WIRE5] every diff fits the wire schema', () => {
  const counter: Change = { kind: 'counter', id: node.id, openBlockers: 1 };
  const mark: Change = { kind: 'mark', id: link.id, time: '2026-01-01T00:00:00.000Z' };
  const changes: Change[] = [made, updated, counter, unblocked, restored, swapped, mark, linkBack, gone];
  const shown = view(...changes.filter(isVisible));
  expect(diffSchema.parse(shown)).toEqual(shown);
  // Counters and marks have no entry.
  expect([shown.nodes.length, shown.links.length]).toEqual([4, 3]);
  expect(JSON.stringify(shown)).not.toMatch(/ownerId|statusBefore|openBlockers|conveys|trashedWithNode|trashedBy/);
});

test('[TRS3] links that stay in the trash are named', () => {
  expect(viewDiff([restored], { ...batch, skipped: [link.id] }, projection).skipped).toEqual([link.id]);
  expect(viewDiff([restored], { ...batch, skipped: [] }, projection)).not.toHaveProperty('skipped');
});

test('[ACL8] `access` is shown to a single reader, and not in pushes', () => {
  const own = viewDiff([made], batch, { ...projection, access: () => Level.EDITOR });
  expect(own.nodes[0]?.after.access).toBe(Level.EDITOR);
  expect(view(made).nodes[0]?.after).not.toHaveProperty('access');
});

test('[EVT3] pages show the fields that docs/interface.md lists, and `private` of links', () => {
  expect(Object.keys(viewPageLink(link))).toEqual([
    'id',
    'source',
    'target',
    'type',
    'version',
    'wasBlocker',
    'private',
  ]);
  expect(Object.keys(viewTrashNode({ ...node, inTrash: true }, actor))).toEqual([
    'id',
    'title',
    'status',
    'inTrash',
    'lastBatchID',
    'version',
    'lastEditedTime',
    'ownerUsername',
    'ownerEmail',
  ]);
  expect(Object.keys(viewTrashLink(link))).toEqual([
    'id',
    'source',
    'target',
    'type',
    'version',
    'inTrash',
    'lastBatchID',
    'private',
  ]);
});

test('[HIS1] operations have the codes of the diff, capitalised patches and the version before as guard', () => {
  const flip = linkStep(Op.LINK_UPDATE, { ...link, wasBlocker: false }, { wasBlocker: true });
  const [first, second, ...others] = historyOperations(storedChanges([updated, flip]), now);
  expect(others).toEqual([]);
  expect(first).toEqual({
    id: 1,
    type: Op.NODE_UPDATE,
    entityId: node.id,
    forwardPatch: { Title: 'new', Tags: ['a', 'b'], Version: 5, LastEditedTime: now },
    inversePatch: { Title: 'old', Tags: ['a'], Version: 4, LastEditedTime: early },
    guard: { Version: 4 },
    createdTime: now,
  });
  expect(second).toMatchObject({ id: 2, type: 11, forwardPatch: { WasBlocker: true }, guard: { Version: 1 } });
});

test('[HIS1] a creation has no state before it, a deletion none after it', () => {
  const [creation, deletion] = historyOperations(storedChanges([made, gone]), now);
  expect(creation).toMatchObject({ type: Op.NODE_ADD, forwardPatch: { Title: 'old' }, inversePatch: {}, guard: {} });
  expect(deletion).toMatchObject({ type: Op.LINK_DELETE, forwardPatch: {}, guard: { Version: 1 } });
  expect(deletion?.inversePatch).toMatchObject({ Source: link.source, Target: link.target });
});

test('[HIS1] patches have no internal fields', () => {
  const blocked = { ...node, status: Status.BLOCKED, statusBefore: Status.AVAILABLE, version: 2 };
  const fields = ['status', 'statusBefore'] as const;
  const step: Change = { kind: 'node', op: Op.NODE_STATUS, id: node.id, before: node, after: blocked, fields };
  const operations = historyOperations(storedChanges([step, made, gone]), now);
  const names = operations.flatMap(({ forwardPatch, inversePatch }) =>
    Object.keys({ ...forwardPatch, ...inversePatch }),
  );
  for (const hidden of ['OwnerId', 'StatusBefore', 'OpenBlockers', 'Conveys', 'TrashedWithNode', 'TrashedBy']) {
    expect(names).not.toContain(hidden);
  }
  expect(operations[0]?.forwardPatch).toMatchObject({ Status: Status.BLOCKED });
});

test('[HIS1] counters and marks are not operations', () => {
  const counter: Change = { kind: 'counter', id: node.id, openBlockers: 1 };
  expect(storedChanges([counter, { kind: 'mark', id: link.id, time: '2026-01-01T00:00:00.000Z' }])).toEqual([]);
});

test('[GEN8] a stored batch gives the same diff after a JSON round trip', () => {
  const changes = [made, updated, unblocked, restored, swapped, linkBack, gone];
  const recalled = changesOfStored(JSON.parse(JSON.stringify(storedChanges(changes))));
  expect(viewDiff(recalled, batch, projection)).toEqual(view(...changes));
});
