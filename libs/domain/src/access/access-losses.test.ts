// Access losses by changes of grants and publications, and merged epoch bumps.

import { type FeedEpochBump, MAXIMUM_LEAVING } from '@taskgraph/wire/bus/feed-messages';
import { Op } from '@taskgraph/wire/codes';
import { describe, expect, test } from 'vitest';
import type { GrantChange, NodeChange } from '../state/change.ts';
import type { GrantState, NodeState } from '../state/state.ts';
import { accessLossOf, mergeEpochBumps } from './access-losses.ts';

const [SOON, LATER] = ['2030-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z'];
const grant = (fields: Partial<GrantState> = {}) =>
  ({ nodeId: 'n', email: 'bob@example.com', level: 3, due: null, branch: true, ...fields }) as GrantState;
const granted = (before: GrantState | null, after: GrantState | null): GrantChange => ({
  kind: 'grant',
  op: Op.GRANT_UPSERT,
  id: 'n',
  fields: [],
  before,
  after,
});
const node = (fields: Partial<NodeState> = {}) =>
  ({ id: 'n', publicToken: 't', publicBranch: true, publicDue: null, inTrash: false, ...fields }) as NodeState;
const published = (before: NodeState | null, after: NodeState | null): NodeChange => ({
  kind: 'node',
  op: Op.NODE_UPDATE,
  id: 'n',
  fields: [],
  before,
  after,
});
const leaves = (feed: string, email: string | null, due: string | null = null) => ({ feed, email, due });

describe('[ACL7, EVT4, PUB5] lost access', () => {
  test.each<[string, GrantChange | NodeChange, ReturnType<typeof leaves> | null]>([
    ['a grant is made', granted(null, grant()), null],
    ['a grant is deleted', granted(grant(), null), leaves('root:n', 'bob@example.com')],
    ['a grant leaves the branch', granted(grant(), grant({ branch: false })), leaves('root:n', 'bob@example.com')],
    [
      'a grant ends earlier',
      granted(grant({ due: LATER }), grant({ due: SOON })),
      leaves('root:n', 'bob@example.com', SOON),
    ],
    ['a grant ends at last', granted(grant(), grant({ due: SOON })), leaves('root:n', 'bob@example.com', SOON)],
    ['a grant ends later', granted(grant({ due: SOON }), grant({ due: LATER })), null],
    ['a grant gives less', granted(grant({ level: 1 }), grant({ level: 3 })), null],
    ['a node is published', published(node({ publicToken: null }), node()), null],
    ['a node is unpublished', published(node(), node({ publicToken: null })), leaves('root:n', null)],
    ['its publication leaves the branch', published(node(), node({ publicBranch: false })), leaves('root:n', null)],
    ['its token is another', published(node(), node({ publicToken: 'u' })), leaves('root:n', null)],
    ['it goes to the trash', published(node(), node({ inTrash: true })), leaves('root:n', null)],
    ['it comes back', published(node({ inTrash: true }), node()), null],
    ['its publication ends earlier', published(node(), node({ publicDue: SOON })), leaves('root:n', null, SOON)],
    ['it is deleted', published(node({ inTrash: true }), null), leaves('root:n', null)],
  ])('where %s', (_what, change, expected) => expect(accessLossOf(change)).toEqual(expected));
});

describe('[ACL7, EVT4] successive epoch changes', () => {
  const raise = (previous: number, more: Partial<FeedEpochBump> = {}): FeedEpochBump => ({
    feed: 'root:n',
    previous,
    epoch: previous + 1,
    leaving: [],
    ...more,
  });

  test('name every leaving reader with the earliest end', () => {
    const first = raise(1, { leaving: [{ user: 'ann', due: LATER }, { user: 'bob' }], public: { due: SOON } });
    const second = raise(2, {
      leaving: [{ user: 'ann', due: SOON }, { user: 'bob', due: SOON }, { user: 'cy' }],
      public: {},
    });
    expect(mergeEpochBumps(first, second)).toEqual({
      feed: 'root:n',
      previous: 1,
      epoch: 3,
      public: {},
      leaving: [{ user: 'ann', due: SOON }, { user: 'bob' }, { user: 'cy' }],
    });
  });

  test('name no reader if one of them does not, or if too many leave', () => {
    const { previous: _previous, ...unexplained } = raise(1);
    expect(mergeEpochBumps(unexplained, raise(2, { public: {} }))).toEqual({ feed: 'root:n', epoch: 3 });
    const many = Array.from({ length: MAXIMUM_LEAVING }, (_, index) => ({ user: `user ${index}` }));
    expect(mergeEpochBumps(raise(1, { leaving: many }), raise(2))).toMatchObject({ previous: 1, leaving: many });
    const more = mergeEpochBumps(raise(1, { leaving: many }), raise(2, { leaving: [{ user: 'one more' }] }));
    expect(more).toEqual({ feed: 'root:n', epoch: 3 });
    expect(mergeEpochBumps(more, raise(3))).toEqual({ feed: 'root:n', epoch: 4 });
  });
});
