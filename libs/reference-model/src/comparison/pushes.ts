// Whether pushes named each reader's changes completely: entities that came, changed or went.
// Rules: EVT1, EVT2.

import type { AccessChange, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { graphOf } from '../reads.ts';
import { feedsOf } from '../rules/feeds.ts';
import type { ModelUser } from '../state.ts';
import { cachedUntilDue } from '../state-cache.ts';
import type { Moment } from './leaks.ts';

interface Entity {
  readonly id: string;
  readonly version: number;
  readonly source?: string;
  readonly target?: string;
}
interface ReceivedChanges {
  /** The newest version of each entity in an entry. */
  readonly versions: Map<string, number>;
  readonly joined: Set<string>;
  readonly left: Set<string>;
  readonly access: AccessChange[];
}

/** Changes in a user's graph that no push of their feeds contains. */
export function findMissingChanges(
  slices: readonly SliceMessage[],
  users: readonly ModelUser[],
  before: Moment,
  after: Moment,
): string[] {
  return users.flatMap((user) => {
    const feeds = new Set(
      [before, after].flatMap(({ state, now }) => feedsOf(state, user, now).map(({ feed }) => feed)),
    );
    const received = receivedChanges(slices.filter(({ feed }) => feeds.has(feed)));
    // Clients read a gained feed completely, and drop a lost one.
    if (received.access.some(({ change }) => change !== 'level')) return [];
    const [was, is] = [before, after].map(({ state, now }) =>
      cachedUntilDue(state, now, `graph/${user.id}`, () => graphOf(state, user, now)),
    ) as Graph[] as [Graph, Graph];
    return (['nodes', 'links'] as const).flatMap((kind) =>
      untold(was[kind], is[kind], received).map((what) => `${user.username} is not told of ${kind}: ${what}`),
    );
  });
}

interface Graph {
  readonly nodes: readonly Entity[];
  readonly links: readonly Entity[];
}

function untold(was: readonly Entity[], is: readonly Entity[], received: ReceivedChanges): string[] {
  const earlier = new Map(was.map((one) => [one.id, one.version]));
  const now = new Set(is.map(({ id }) => id));
  const missing = is
    .filter(({ id, version }) => earlier.get(id) !== version)
    .filter(({ id, version }) => received.versions.get(id) !== version)
    // An entity that came with a joined node arrives when the client requests the joined nodes.
    .filter((one) => earlier.has(one.id) || !namesOf(one).some((id) => received.joined.has(id)))
    .map(({ id, version }) => `${id} at ${version}`);
  const gone = was
    .filter(
      (one) => !now.has(one.id) && !received.versions.has(one.id) && !namesOf(one).some((id) => received.left.has(id)),
    )
    .map(({ id }) => `${id} is gone`);
  return [...missing, ...gone];
}

/** An entity's id, and for a link the ids of its ends. */
function namesOf({ id, source, target }: Entity): string[] {
  return [id, source, target].filter((name) => name !== undefined);
}

function receivedChanges(slices: readonly SliceMessage[]): ReceivedChanges {
  const received: ReceivedChanges = { versions: new Map(), joined: new Set(), left: new Set(), access: [] };
  for (const { diff, access = [] } of slices) {
    received.access.push(...access);
    for (const name of ['nodes', 'links']) {
      for (const { after, before } of (diff[name] ?? []) as { after: Partial<Entity>; before: Partial<Entity> }[]) {
        const id = (after.id ?? before.id) as string;
        received.versions.set(id, Math.max(received.versions.get(id) ?? 0, after.version ?? 0));
      }
      for (const way of ['joined', 'left'] as const) {
        const moved = diff[way] as Record<string, string[]> | undefined;
        for (const id of moved?.[name] ?? []) received[way].add(id);
      }
    }
  }
  return received;
}
