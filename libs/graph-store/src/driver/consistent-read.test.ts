import { NODE_FIELDS, VIEWED_NODE_FIELDS } from '@taskgraph/wire/node-fields';
import { expect, test } from 'vitest';
import { readActiveLinks } from '../reads/active-links.ts';
import { type NodeRange, type PagedGraph, readGraphPage } from '../reads/graph-page.ts';
import { ownScope } from '../reads/own-scope.ts';
import { createByteBudget } from '../reads/page-byte-limit.ts';
import { readOwnTrash } from '../reads/trash/trash-candidates.ts';
import type { Database, Row } from './database.ts';

/** A database that returns the given answers in order for any statement. */
function answering(...answers: readonly (readonly object[])[]): Database {
  const left = [...answers];
  return { read: async () => left.shift() ?? [] } as unknown as Database;
}

const values = (id: string | null) => ({ links: [[id, 'a', 'b', 0, 1, false, false, 'o', 'o', 'o']] });
const window = { after: '', skip: 0, limit: 2, isContinued: false };

test('[EVT3] a page of links is read again if a link disappears during the read, and shows the next link instead', async () => {
  const database = answering([values('1'), values(null)], [values('1'), values('2')]);
  expect((await ownScope(database, 'o').links(window)).map(({ id }) => id)).toEqual(['1', '2']);
  const never = answering(...Array.from({ length: 20 }, () => [values(null)]));
  await expect(ownScope(never, 'o').links(window)).rejects.toThrow('20 times');
});

/** A row of the statement of nodes; null for a node that was deleted after the statement had found it. */
const part = (found: number, ...ids: (string | null)[]) => {
  const nodes = ids.map((id) =>
    VIEWED_NODE_FIELDS.map((name) => (name === 'id' ? id : NODE_FIELDS[name].kind === 'texts' ? [] : '')),
  );
  return { found, nodes, rows: ids.map(() => []) };
};

test('[EVT3] a node that is deleted during the read is not on the page, which continues behind it', async () => {
  const database = answering([part(3, '1', null), part(3, '3')], [part(1, '4')]);
  const range = await ownScope(database, 'o').nodes({ ...window, limit: 3 }, createByteBudget(1_000_000));
  expect(range.nodes.map(({ node }) => node.id)).toEqual(['1', '3', '4']);
  expect(range).toMatchObject({ last: '4', hasMore: false });
});

test('[EVT3] if all nodes after the offset are deleted during the read, the next statement has the same offset', async () => {
  const skips: number[] = [];
  const { read } = answering([part(2, null, null)], [part(1, '5')]);
  const counting = (cypher: string, parameters: Row) => {
    skips.push(Number(parameters.skip));
    return read(cypher, parameters);
  };
  const later = { ...window, skip: 3 };
  const range = await ownScope({ read: counting } as Database, 'o').nodes(later, createByteBudget(1_000_000));
  expect(range.nodes.map(({ node }) => node.id)).toEqual(['5']);
  expect(skips).toEqual([3, 3]);
});

const stored = (id: string) => ({
  node: null,
  type: 'TRASHED',
  source: 'a',
  target: 'b',
  properties: { id, sourceOwnerId: 'o', targetOwnerId: 'o' },
});
test('[EVT3] a node trashed during the read is not on the page, and the next page continues after it', async () => {
  const placed = (id: string, inTrash: boolean) => ({ node: { id, inTrash }, feeds: [], feedOwners: [] });
  const nodes = [placed('1', false), placed('2', true)] as unknown as NodeRange['nodes'];
  const scope: PagedGraph = {
    nodes: async () => ({ nodes, consumed: 2, last: '2', hasMore: true, skipped: 0 }),
    links: async () => [],
  };
  const page = await readGraphPage(scope, { limit: 2, offset: 0, after: null }, createByteBudget(1_000_000));
  expect(page.nodes.map(({ node }) => node.id)).toEqual(['1']);
  expect(page.next).toEqual({ kind: 'node', id: '2' });
});

const gone = { node: null, type: 'TRASHED', source: null, target: null, properties: {} };
const restored = { node: { id: 'n', inTrash: false }, type: null, properties: null };

test.each([gone, restored])('[EVT3] a page of the trash is read again if an entity was restored', async (went) => {
  const database = answering([{ foreign: 0, page: [went] }], [{ foreign: 0, page: [stored('1')] }]);
  const found = await readOwnTrash(database, { reader: 'o', skip: 0, limit: 1 });
  expect(found?.map(({ link }) => link?.id)).toEqual(['1']);
});

test('[EVT2] a link that disappears during a read by ids is searched again', async () => {
  const database = answering([{ ...gone, type: 'BLOCKS' }], [{ ...stored('1'), type: 'BLOCKS' }]);
  expect((await readActiveLinks(database, ['1'])).map(({ id }) => id)).toEqual(['1']);
});
