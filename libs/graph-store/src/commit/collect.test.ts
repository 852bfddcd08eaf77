// The rows of one group if several commands change the same entity: its last state, for any order
// of changes.
import type { Change } from '@taskgraph/domain/state/change';
import type { GrantState, LinkState, NodeState } from '@taskgraph/domain/state/state';
import { Op } from '@taskgraph/wire/codes';
import { NO_CLAIM } from '@taskgraph/wire/node-fields';
import { expect, test } from 'vitest';
import { collect } from './collect.ts';

const nodeOf = (id: string) => ({ ownerId: `owner of ${id}` });
const trashed = {
  id: 'l',
  source: 'a',
  target: 'b',
  type: 0,
  version: 1,
  wasBlocker: false,
  private: false,
  ownerId: 'o',
  conveys: true,
  inTrash: true,
  trashedWithNode: true,
  trashedBy: 'o',
  lastBatchID: 'b1',
  createdTime: 't',
  lastEditedTime: 't',
} as LinkState;
const granted: GrantState = {
  nodeId: 'n',
  email: 'e',
  level: 2,
  due: null,
  branch: false,
  version: 1,
  showing: true,
  copyOf: null,
};
const link = (before: LinkState | null, after: LinkState | null): Change => ({
  kind: 'link',
  op: Op.LINK_UPDATE,
  id: 'l',
  before,
  after,
  fields: [],
});
const grant = (before: GrantState | null, after: GrantState | null): Change => ({
  kind: 'grant',
  op: Op.GRANT_UPDATE,
  id: 'n',
  before,
  after,
  fields: [],
});
const unmark: Change = { kind: 'mark', id: 'l', time: 't2' };
const show = (showing: boolean): Change => ({ kind: 'showing', id: 'n', email: 'e', showing });

test('[TRS3] a link that lost its mark and was trashed with a node again keeps the new mark', () => {
  const bare = { ...trashed, trashedWithNode: false };
  const active = { ...bare, inTrash: false };
  const { updatedLinks, unmarkedLinks } = collect([unmark, link(bare, active), link(active, trashed)], nodeOf);
  expect(unmarkedLinks).toEqual([]);
  expect(updatedLinks.TRASHED).toMatchObject([{ id: 'l', fields: { trashedWithNode: true } }]);
});

test('[TRS3] a mark is removed separately, and together with a newly trashed link', () => {
  expect(collect([unmark], nodeOf).unmarkedLinks).toEqual([{ id: 'l', time: 't2' }]);
  const { createdLinks, unmarkedLinks } = collect([link({ ...trashed, inTrash: false }, trashed), unmark], nodeOf);
  expect([createdLinks.TRASHED, unmarkedLinks]).toMatchObject([
    [{ fields: { trashedWithNode: false, unmarkedTime: 't2' } }],
    [],
  ]);
});

test('[TRS3] a deleted link whose mark was removed is not loaded', () => {
  const bare = { ...trashed, trashedWithNode: false };
  const { deletedLinks, unmarkedLinks } = collect([unmark, link(bare, null)], nodeOf);
  expect([deletedLinks.TRASHED, unmarkedLinks]).toEqual([['l'], []]);
});

test('[ACL6] a hidden grant that was revoked and granted again is shown', () => {
  const hidden = { ...granted, showing: false };
  const { updatedGrants } = collect([show(false), grant(hidden, null), grant(null, granted)], nodeOf);
  expect(updatedGrants).toMatchObject([{ fields: { showing: true } }]);
});

test('[ACL6] the last of several visibility switches counts, also for a new or changed grant', () => {
  expect(collect([show(false), show(true), show(false)], nodeOf).updatedGrants).toMatchObject([
    { key: 'n|e', fields: { showing: false } },
  ]);
  expect(collect([grant(null, granted), show(false)], nodeOf).createdGrants).toMatchObject([{ showing: false }]);
  const changed = { ...granted, due: '2099-01-01T00:00:00.000Z' };
  expect(collect([grant(granted, changed), show(false)], nodeOf).updatedGrants).toMatchObject([
    { fields: { due: changed.due, showing: false } },
  ]);
  expect(collect([show(false), grant({ ...granted, showing: false }, null)], nodeOf)).toMatchObject({
    updatedGrants: [],
    deletedGrants: ['n|e'],
  });
});

test('[TRS5] a link created and deleted in one group leaves a deletion record like any other', () => {
  const { tombstones, deletedLinks } = collect([link(null, trashed), link(trashed, null)], nodeOf);
  expect(tombstones).toEqual([{ id: 'l', readers: ['o'], unwritten: true }]);
  expect(Object.values(deletedLinks).flat()).toEqual([]);
});

test('[CLAIM3] a step of the status writes the whole claim, which a release before may have left', () => {
  const before = { id: 'n', version: 1, status: 0, ...NO_CLAIM } as unknown as NodeState;
  const step = (fields: readonly (keyof NodeState)[], patch: object): Change => ({
    kind: 'node',
    op: Op.NODE_UPDATE,
    id: 'n',
    before,
    after: { ...before, ...patch, version: 2, lastEditedTime: 't' },
    fields,
  });
  const written = (change: Change) => collect([change], nodeOf).updatedNodes[0]?.fields as object;
  expect(written(step(['status'], { status: 1 }))).toMatchObject(NO_CLAIM);
  expect(written(step(['inTrash'], { inTrash: true }))).toMatchObject(NO_CLAIM);
  expect(Object.keys(written(step(['title'], { title: 'b' })))).toEqual(['title', 'version', 'lastEditedTime']);
});
