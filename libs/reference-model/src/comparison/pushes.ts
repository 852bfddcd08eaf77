// Whether pushes named each reader's changes completely: entities that came, changed or went.
// Rules: EVT1, EVT2.

import type { AccessChange, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { onceUntilDue } from '../once.ts';
import { graphOf } from '../reads.ts';
import { feedsOf } from '../rules/feeds.ts';
import type { ModelUser } from '../state.ts';
import type { Moment } from './leaks.ts';

interface Entity {
  readonly id: string;
  readonly version: number;
  readonly source?: string;
  readonly target?: string;
}
interface Heard {
  /** The newest version of each entity in an entry. */
  readonly versions: Map<string, number>;
  readonly joined: Set<string>;
  readonly left: Set<string>;
  readonly access: AccessChange[];
}

/** Changes in a user's graph that no push of their feeds contains. */
export function findUntold(
  slices: readonly SliceMessage[],
  users: readonly ModelUser[],
  before: Moment,
  after: Moment,
): string[] {
  return users.flatMap((user) => {
    const feeds = new Set(
      [before, after].flatMap(({ state, now }) => feedsOf(state, user, now).map(({ feed }) => feed)),
    );
    const heard = hear(slices.filter(({ feed }) => feeds.has(feed)));
    // Clients read a gained feed completely, and drop a lost one.
    if (heard.access.some(({ change }) => change !== 'level')) return [];
    const [was, is] = [before, after].map(({ state, now }) =>
      onceUntilDue(state, now, `graph/${user.id}`, () => graphOf(state, user, now)),
    ) as Graph[] as [Graph, Graph];
    return (['nodes', 'links'] as const).flatMap((kind) =>
      untold(was[kind], is[kind], heard).map((what) => `${user.username} is not told of ${kind}: ${what}`),
    );
  });
}

interface Graph {
  readonly nodes: readonly Entity[];
  readonly links: readonly Entity[];
}

function untold(was: readonly Entity[], is: readonly Entity[], heard: Heard): string[] {
  const earlier = new Map(was.map((one) => [one.id, one.version]));
  const now = new Set(is.map(({ id }) => id));
  const missing = is
    .filter(({ id, version }) => earlier.get(id) !== version)
    .filter(({ id, version }) => heard.versions.get(id) !== version)
    // An entity that came with a joined node arrives when the client requests the joined nodes.
    .filter((one) => earlier.has(one.id) || !namesOf(one).some((id) => heard.joined.has(id)))
    .map(({ id, version }) => `${id} at ${version}`);
  const gone = was
    .filter((one) => !now.has(one.id) && !heard.versions.has(one.id) && !namesOf(one).some((id) => heard.left.has(id)))
    .map(({ id }) => `${id} is gone`);
  return [...missing, ...gone];
}

/** An entity's id, and for a link the ids of its ends. */
function namesOf({ id, source, target }: Entity): string[] {
  return [id, source, target].filter((name) => name !== undefined);
}

function hear(slices: readonly SliceMessage[]): Heard {
  const heard: Heard = { versions: new Map(), joined: new Set(), left: new Set(), access: [] };
  for (const { diff, access = [] } of slices) {
    heard.access.push(...access);
    for (const name of ['nodes', 'links']) {
      for (const { after, before } of (diff[name] ?? []) as { after: Partial<Entity>; before: Partial<Entity> }[]) {
        const id = (after.id ?? before.id) as string;
        heard.versions.set(id, Math.max(heard.versions.get(id) ?? 0, after.version ?? 0));
      }
      for (const way of ['joined', 'left'] as const) {
        const moved = diff[way] as Record<string, string[]> | undefined;
        for (const id of moved?.[name] ?? []) heard[way].add(id);
      }
    }
  }
  return heard;
}
