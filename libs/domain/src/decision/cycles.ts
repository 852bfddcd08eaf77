// Primary cycles are refused, with a path that names only what the caller can see. Rules: LNK4, LNK9.
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { LinkState } from '../state/state.ts';
import type { Draft } from './draft.ts';

/** Whether the caller may learn that a node is there, and that a link between two of those is. */
export interface PathSight {
  readonly node: (id: string) => boolean;
  readonly link: (link: LinkState) => boolean;
}

/**
 * Refuses a primary link source -> target where a path of active primary links already leads from target to source.
 *
 * A run of nodes and links that the caller can't see becomes one null. `without` leaves out the link that is being reversed.
 */
export function refuseCycle(
  draft: Draft,
  source: string,
  target: string,
  sight: PathSight,
  without?: string,
): Refusal | null {
  const path = draft.path(target, source, without);
  if (path === null) return null;
  draft.requireNodes(path);
  const seen = path.map((id) => (sight.node(id) ? id : null));
  const joined = joinedInSight(draft, seen, sight, without);
  const told = seen.flatMap((id, at) => (id === null || joined[at] !== false ? [id] : [id, null]));
  const shown = told.filter((id, at) => id !== null || told[at - 1] !== null);
  return refuse('conflict.cycle', 'The link would close a cycle of blocking links.', { path: shown });
}

/** Of each node and the next one, whether a link that the caller sees joins them: private links of others alone may. Nodes out of sight have none. */
function joinedInSight(
  draft: Draft,
  seen: readonly (string | null)[],
  sight: PathSight,
  without: string | undefined,
): boolean[] {
  const pairs = seen.slice(1).map((next, at) => [seen[at] ?? null, next] as const);
  const starts = pairs.flatMap(([id, next]) => (id === null || next === null ? [] : [id]));
  draft.requireTargetsOf(starts);
  const joining = pairs.map(([id, next]) => {
    if (id === null || next === null) return [];
    return [...draft.primaryFrom(id)].flatMap(([link, to]) => (to === next && link !== without ? [link] : []));
  });
  draft.requireLinks(joining.flat());
  return joining.map((links) => links.some((link) => sight.link(draft.existingLink(link))));
}
