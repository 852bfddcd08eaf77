import { Level } from '@taskgraph/wire/codes';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { levelThrough } from '../access/reader-access.ts';
import type { GrantState } from '../state/state.ts';
import { type AccessRoot, accessPathsTo, type PathsCaller, type ReachedNode } from './access-paths.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const LATER = '2027-01-01T00:00:00.000Z';
const ANN = { id: 'ann', email: 'ann@example.com' };

const grant = (nodeId: string, email: string, more: Partial<GrantState> = {}): GrantState => ({
  nodeId,
  email,
  level: Level.VIEWER,
  due: null,
  branch: true,
  version: 1,
  showing: true,
  copyOf: null,
  ...more,
});
const root = (id: string, more: Partial<AccessRoot> = {}): AccessRoot => ({
  id,
  inTrash: false,
  publicToken: null,
  publicDue: null,
  publicBranch: false,
  level: null,
  grants: [],
  ...more,
});
const node: ReachedNode = {
  id: 'n',
  ownerId: 'bob',
  ownerEmail: 'bob@example.com',
  feeds: ['root:r', 'node:n', 'user:ann'],
};
/** A caller whose grants count as given. */
const caller = (roots: readonly AccessRoot[], all = false): PathsCaller => {
  const own = roots.flatMap(({ grants }) => grants).filter(({ email, due }) => email === ANN.email && due !== NOW);
  const granted = (feed: string) =>
    own.find(({ nodeId, branch }) => feed === `${branch ? 'root' : 'node'}:${nodeId}`)?.level ?? null;
  return { reader: ANN, now: NOW, granted, all };
};

test('[WHY2] callers see only their own access, the strongest first', () => {
  const roots = [
    root('n', { grants: [grant('n', ANN.email, { branch: false }), grant('n', 'cy@example.com')] }),
    root('r', { level: 2, grants: [grant('r', ANN.email, { level: 2, due: LATER }), grant('r', 'cy@example.com')] }),
  ];
  expect(accessPathsTo(node, roots, caller(roots)).map(({ level, by, root, due }) => [level, by, root, due])).toEqual([
    [2, 'branch', 'r', LATER],
    [3, 'grant', 'n', null],
    [3, 'tree', null, null],
  ]);
});

test('[WHY2 ACL5] expired grants and grants on former roots give no access', () => {
  const roots = [
    root('n', { grants: [grant('n', ANN.email, { due: NOW })] }),
    root('s', { grants: [grant('s', ANN.email)] }),
  ];
  expect(accessPathsTo({ ...node, feeds: ['root:n'] }, roots, caller(roots))).toEqual([]);
});

test('[WHY2 WHY3 ACL9] other readers are listed by e-mail, and only by grants that the caller may list', () => {
  const roots = [
    root('n', { level: 1, grants: [grant('n', 'dee@example.com', { branch: false }), grant('n', ANN.email)] }),
    root('r', { level: 2, grants: [grant('r', 'cy@example.com')] }),
    root('q', { level: 1, grants: [grant('q', 'cy@example.com', { level: 2 })] }),
  ];
  const asked = { ...node, feeds: ['root:r', 'root:q', 'node:n', 'root:n', 'user:eve'] };
  expect(accessPathsTo(asked, roots, caller(roots, true)).map(({ email, by, root }) => [email, by, root])).toEqual([
    ['ann@example.com', 'grant', 'n'],
    ['bob@example.com', 'owner', 'n'],
    ['cy@example.com', 'branch', 'q'],
    ['dee@example.com', 'grant', 'n'],
  ]);
});

test('[WHY2 WHY3 ACL9] a current publication is shown to callers who see its token', () => {
  const published = { publicToken: 'token', publicBranch: true, level: Level.ADMIN };
  const of = (more: Partial<AccessRoot>) => accessPathsTo(node, [root('r', { ...published, ...more })], caller([]));
  const tree = expect.objectContaining({ by: 'tree' });
  expect(of({})).toEqual([tree, { level: 3, by: 'publication', root: 'r', due: null, email: null }]);
  for (const more of [{ level: Level.EDITOR }, { publicDue: NOW }, { inTrash: true }, { publicBranch: false }]) {
    expect(of(more)).toEqual([tree]);
  }
});

test('[WHY2 ACL1] the strongest access is the level', () => {
  const feeds = fc.subarray(['root:a', 'node:n', 'root:n', 'root:b', 'user:ann', 'user:eve']);
  const level = fc.constantFrom<Level>(1, 2, 3);
  const grants = fc.subarray([
    grant('a', ANN.email),
    grant('b', ANN.email, { due: LATER }),
    grant('n', ANN.email, { branch: false }),
    grant('c', ANN.email),
  ]);
  fc.assert(
    fc.property(feeds, grants, level, fc.constantFrom('ann', 'bob'), (some, given, levels, ownerId) => {
      const held = given.map((each) => ({ ...each, level: levels }));
      const roots = ['n', 'a', 'b', 'c'].map((id) => root(id, { grants: held.filter(({ nodeId }) => nodeId === id) }));
      const asked = { ...node, feeds: some, ownerId };
      const paths = accessPathsTo(asked, roots, caller(roots));
      const best = paths.length === 0 ? null : Math.min(...paths.map((way) => way.level));
      expect(best).toBe(levelThrough(asked, ANN, caller(roots).granted));
    }),
  );
});
