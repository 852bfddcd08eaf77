import { Op } from '@taskgraph/wire/codes';
import { wireLink, wireNode } from '@taskgraph/wire/entities';
import { expect, it } from 'vitest';
import { newNode } from '../state/new-entities.ts';
import { isPrivate, stripDiff, stripLink, stripNode } from './public-view.ts';

const FEED = 'root:r';
const published = { publicToken: 'secret', publicDue: '2030-01-01T00:00:00.000Z', publicBranch: true };
const people = {
  ownerUsername: 'ann',
  ownerEmail: 'ann@example.com',
  assignee: ['bob@example.com'],
  claimedBy: 'bob',
  claimUntil: 'u',
  access: 0,
};
const node = (id: string) => ({
  ...newNode({ id, ownerId: 'o' }, 'c', { title: 't', tags: ['a'], priority: 1, volume: 2 }),
  version: 3,
  shareRoots: ['other', 'r'],
  lastBatchID: 'batch',
  ...published,
  ...people,
});
const link = {
  id: 'l',
  source: 'a',
  target: 'b',
  type: 0,
  version: 1,
  wasBlocker: true,
  private: false,
  inTrash: false,
  lastBatchID: 'batch',
  shareRoots: ['r', 'other'],
  createdTime: 'c',
  lastEditedTime: 'e',
};
const entry = (op: Op, before: object, after: object) => ({ op, before, after });

it('[PUB4] omits people, levels, batches and other roots of a node, and shows the rest', () => {
  const kept = Object.keys(wireNode.shape).filter(
    (name) => !['lastBatchID', ...Object.keys(published), ...Object.keys(people)].includes(name),
  );
  const stripped = stripNode(node('a'), FEED);
  expect(Object.keys(stripped).sort()).toEqual(kept.sort());
  expect(stripped).toMatchObject({ id: 'a', tags: ['a'], version: 3, shareRoots: ['r'] });
});

it('[PUB4] shows the publication of the published node alone', () => {
  expect(stripNode(node('r'), FEED)).toMatchObject(published);
  expect(stripNode(node('r'), 'node:r')).toMatchObject(published);
  for (const name of Object.keys(published)) expect(stripNode(node('a'), FEED)).not.toHaveProperty(name);
});

it('[PUB4] shows all of a link except its batch and other roots', () => {
  const { lastBatchID: _batch, ...rest } = link;
  expect(stripLink(link, FEED)).toEqual({ ...rest, shareRoots: ['r'] });
  expect(Object.keys(wireLink.shape).filter((name) => !(name in rest))).toEqual(['lastBatchID']);
});

it('[PUB4] strips every entry of a diff, and omits the actor, grants and skipped links', () => {
  const stripped = stripDiff(
    {
      batchId: '01985f0e-8260-7abc-9b9f-000000000123',
      actor: { username: 'ann', email: 'ann@example.com' },
      ts: 't',
      nodes: [entry(Op.NODE_ADD, {}, node('a'))],
      links: [entry(Op.LINK_ADD, {}, link)],
      access: [entry(Op.GRANT_UPSERT, {}, { email: 'bob@example.com' })],
      user: [],
      skipped: ['x'],
      joined: { nodes: ['n'], links: [] },
      reset: true,
    },
    FEED,
  );
  expect(stripped).toEqual({
    // Its slot, `abc`, belongs to the actor.
    batchId: '01985f0e-8260-7123-9b9f-000000000123',
    ts: 't',
    nodes: [{ op: Op.NODE_ADD, before: {}, after: stripNode(node('a'), FEED) }],
    links: [{ op: Op.LINK_ADD, before: {}, after: stripLink(link, FEED) }],
    joined: { nodes: ['n'], links: [] },
    reset: true,
  });
  expect(JSON.stringify(stripped)).not.toMatch(/example\.com|secret|other/);
});

it('[PUB4, EVT1] shows the version step of another node without visible fields, but not that it is a publication', () => {
  const before = { id: 'a', version: 3, publicToken: null, assignee: [] };
  const after = { id: 'a', version: 4, ...published, assignee: ['bob'], shareRoots: ['r'], lastEditedTime: 'e' };
  const stripped = (op: Op) => stripDiff({ nodes: [entry(op, before, after)], links: [] }, FEED).nodes;
  expect(stripped(Op.NODE_PUBLISH)).toEqual([
    {
      op: Op.NODE_UPDATE,
      before: { id: 'a', version: 3 },
      after: { id: 'a', version: 4, shareRoots: ['r'], lastEditedTime: 'e' },
    },
  ]);
  // A change of assignees and a publication look alike.
  expect(stripped(Op.NODE_UPDATE)).toEqual(stripped(Op.NODE_PUBLISH));
});

it('[PUB4] shows a publication of the published node itself', () => {
  const before = { id: 'r', version: 3, publicDue: null };
  const after = { id: 'r', version: 4, ...published, shareRoots: ['r'], lastEditedTime: 'e' };
  const { nodes } = stripDiff({ nodes: [entry(Op.NODE_PUBLISH, before, after)], links: [] }, FEED);
  expect(nodes).toEqual([entry(Op.NODE_PUBLISH, before, after)]);
});

it('[PUB4, LNK9] omits links that are, were or become private', () => {
  const hidden = { ...link, private: true };
  const links = [
    entry(Op.LINK_ADD, {}, hidden),
    entry(Op.LINK_DELETE, hidden, { id: 'l', deleted: true, shareRoots: [] }),
    entry(Op.LINK_UPDATE, { id: 'l', version: 1, private: true }, { id: 'l', version: 2, private: false }),
  ];
  expect(stripDiff({ nodes: [], links }, FEED)).toEqual({ nodes: [], links: [] });
  expect([isPrivate(link), isPrivate(hidden)]).toEqual([false, true]);
});

it('[PUB4] omits the deletion of a trashed link, which may have been trashed before its ends were published', () => {
  const gone = { id: 'l', deleted: true, shareRoots: [] };
  const deleted = (before: object) =>
    stripDiff({ nodes: [], links: [entry(Op.LINK_DELETE, before, gone)] }, FEED).links;
  expect(deleted({ ...link, inTrash: true })).toEqual([]);
  expect(deleted(link)).toHaveLength(1);
});

it('shows a deletion, and the marker of a slice that is too long', () => {
  const gone = { id: 'a', deleted: true, shareRoots: ['other'] };
  const { nodes } = stripDiff({ nodes: [entry(Op.NODE_DELETE, node('a'), gone)], links: [] }, FEED);
  expect(nodes).toMatchObject([{ before: { title: 't' }, after: { id: 'a', deleted: true, shareRoots: [] } }]);
  expect(stripDiff({ truncated: true }, FEED)).toEqual({ truncated: true });
});
