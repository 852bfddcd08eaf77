import type { Entity, Replica } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { createGraphIndex } from './graph-index.ts';

type Listener = (event: never) => void;

/** A replica whose events the test sends. */
function replicaOf(nodes: Entity[], links: Entity[]) {
  const listeners = new Map<string, Listener>();
  const byId = (entities: Entity[]) => new Map(entities.map((entity) => [entity.id, entity]));
  const replica = {
    snapshot: () => ({ nodes: byId(nodes), links: byId(links), state: 'live', revision: 1 }),
    on: (kind: string, listener: Listener) => {
      listeners.set(kind, listener);
      return () => void listeners.delete(kind);
    },
  } as unknown as Pick<Replica, 'snapshot' | 'on'>;
  const send = (kind: string, event: object) => listeners.get(kind)?.(event as never);
  return { replica, send, listeners };
}

const node = (id: string, status: number): Entity => ({ id, version: 1, status });
const link = (id: string, version = 1): Entity => ({ id, version, source: id[0], target: id[1], type: 0 });

test('[CON8] a root is a node that no primary link leaves, in each order of arrival', () => {
  const { replica, send } = replicaOf([node('b', 0), node('a', 0)], [link('ab')]);
  const index = createGraphIndex(replica);
  expect(index.roots()).toEqual(['b']);
  const known = index.roots();
  send('node:changed', { node: node('b', 1), before: node('b', 0) });
  expect(index.roots()).toBe(known);
  send('link:added', { link: link('bc') });
  expect(index.roots()).toEqual([]);
  send('node:added', { node: node('c', 0) });
  expect(index.roots()).toEqual(['c']);
  send('link:changed', { link: { ...link('bc', 2), type: 1 }, before: link('bc') });
  expect(index.roots()).toEqual(['b', 'c']);
  send('link:removed', { id: 'ab', before: link('ab') });
  send('node:removed', { id: 'c', before: node('c', 0) });
  expect(index.roots()).toEqual(['a', 'b']);
});

test('[CON8] its structure changes with nodes and with the ends and kinds of links alone', () => {
  const { replica, send } = replicaOf([node('a', 0), node('b', 2)], [link('ab')]);
  const index = createGraphIndex(replica);
  let known = index.structure();
  const isOther = (kind: string, event: object) => {
    send(kind, event);
    const before = known;
    known = index.structure();
    return known !== before;
  };
  expect([
    isOther('node:changed', { node: node('a', 3), before: node('a', 0) }),
    isOther('link:changed', { link: { ...link('ab', 2), wasBlocker: true }, before: link('ab') }),
  ]).toEqual([false, false]);
  expect([
    isOther('node:added', { node: node('c', 0) }),
    isOther('link:added', { link: link('bc') }),
    isOther('link:changed', { link: { ...link('bc', 2), type: 1 }, before: link('bc') }),
    isOther('link:removed', { id: 'bc', before: link('bc') }),
    isOther('node:removed', { id: 'c', before: node('c', 0) }),
  ]).toEqual([true, true, true, true, true]);
});

test('follows nodes and links, and counts none twice', () => {
  const [a, ab] = [node('a', 0), link('ab')];
  const { replica, send, listeners } = replicaOf([a, node('b', 2)], [ab]);
  const index = createGraphIndex(replica);
  expect([index.counts(), index.incoming('b'), index.outgoing('a')]).toEqual([[1, 0, 1, 0], [ab], [ab]]);
  const before = index.incoming('b');
  send('node:added', { node: a });
  send('link:added', { link: ab });
  expect([index.counts(), index.incoming('b') === before]).toEqual([[1, 0, 1, 0], true]);
  send('node:changed', { node: node('a', 3), before: a });
  send('link:changed', { link: link('ab', 2), before: ab });
  expect([index.counts(), index.incoming('b')]).toEqual([[0, 0, 1, 1], [link('ab', 2)]]);
  send('link:removed', { id: 'ab', before: ab });
  send('node:removed', { id: 'b', before: node('b', 2) });
  expect([index.counts(), index.incoming('b'), index.outgoing('a')]).toEqual([[0, 0, 0, 1], [], []]);
  index.stop();
  expect(listeners.size).toBe(0);
});
