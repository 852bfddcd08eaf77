import { socketOperations } from '@taskgraph/wire/operations/operations';
import { expect, expectTypeOf, test } from 'vitest';
import { type GraphPage, isRead, type NodeField } from './calls.ts';
import type { TaskgraphClient } from './connect.ts';

test('reads are the calls that the service declares as reads', () => {
  const declared = socketOperations.filter(({ kind }) => kind === 'read');
  expect(socketOperations.filter(({ name }) => isRead(name))).toEqual(declared);
  expect(isRead('constructor')).toBe(false);
});

test('[NGET3] an answer has the type of the selected fields', () => {
  const read = (client: TaskgraphClient) => ({
    node: client.node.get({ id: 'a', fields: ['title'] }),
    page: client.call('graph:get', { fields: ['title', 'status'] }),
    changes: client.changes.get({ since: 'a', fields: ['title'] }),
    whole: client.node.find({}),
  });
  type Answers = { [Name in keyof ReturnType<typeof read>]: Awaited<ReturnType<typeof read>[Name]> };
  type FieldsOf<T> = T extends { nodes: (infer N)[] } ? keyof N : never;
  expectTypeOf<FieldsOf<Answers['node']>>().toEqualTypeOf<'id' | 'version' | 'title'>();
  expectTypeOf<FieldsOf<Answers['page']>>().toEqualTypeOf<'id' | 'version' | 'title' | 'status'>();
  expectTypeOf<FieldsOf<Answers['changes']>>().toEqualTypeOf<'id' | 'version' | 'title'>();
  expectTypeOf<FieldsOf<Answers['whole']>>().toEqualTypeOf<NodeField>();
  expectTypeOf<Answers['page']['links']>().toEqualTypeOf<GraphPage['links']>();
  // @ts-expect-error A node has no such field.
  const misspelt = (client: TaskgraphClient) => client.node.get({ id: 'a', fields: ['titel'] });
  expectTypeOf(misspelt).toBeFunction();
});
