import { type Entity, findNodes, type Replica } from '@taskgraph/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hitsFor, tasksFor } from './task-finder.ts';

const TITLES = ['Write the texts', 'Write to Ann', 'Straße', 'STRASSEN', 'İzmir', '東京で会う', 'Éclair', 'a-b', ''];

function replicaOf(titles: readonly string[]) {
  const nodes = new Map<string, Entity>(
    titles.map((title, index) => [
      `${index}`,
      {
        id: `${index}`,
        version: 1,
        title,
        description: '',
        status: 0,
        tags: [],
        priority: 0,
        volume: 0,
        dueDate: null,
      },
    ]),
  );
  let revision = 1;
  let searches = 0;
  const find: Replica['find'] = (search = {}) => {
    searches++;
    return findNodes({ nodes, links: new Map() }, search, { username: 'ann' });
  };
  const snapshot = () => ({ nodes, links: new Map<string, Entity>(), revision, state: 'live' as const });
  return {
    replica: { find, snapshot, username: 'ann' },
    find,
    searches: () => searches,
    change(id: string, title: string) {
      nodes.set(id, { ...(nodes.get(id) as Entity), title } as Entity);
      revision++;
    },
  };
}

test('[CON19 FIND4] whatever the reader has typed before, a text has the hits of its search', () => {
  const typed = fc.array(fc.constantFrom(...'wtßsSİié東会ea-b '), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(typed, { maxLength: 6 }), (steps) => {
      const { replica, find } = replicaOf(TITLES);
      for (const letters of steps) {
        for (let end = 1; end <= letters.length; end++) {
          const text = letters.slice(0, end).join('').trim();
          if (text !== '') expect(hitsFor(replica, text)).toEqual(find({ text }));
        }
      }
    }),
    { numRuns: 30 },
  );
});

test('[CON19] the next letters search the hits alone, until the graph changes', () => {
  const { replica, searches, change } = replicaOf(TITLES);
  const titles = (text: string) => tasksFor(replica, text).map(({ title }) => title);
  expect([titles('wri'), titles('write a')]).toEqual([['Write the texts', 'Write to Ann'], ['Write to Ann']]);
  expect(searches()).toBe(1);
  change('0', 'Write again');
  expect([titles('write ag'), searches()]).toEqual([['Write again'], 2]);
});
