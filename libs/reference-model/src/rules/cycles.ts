// Refusals of primary cycles (LNK4).
import { LinkType } from '@taskgraph/wire/codes';
import { type Draft, findNode } from '../draft.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { ModelLink, ModelState } from '../state.ts';
import { seesLink, seesNode } from './access.ts';

type Ends = Pick<ModelLink, 'id' | 'source' | 'target' | 'type'>;

/**
 * Refuses a link that would close a cycle of primary links. Hidden links count too. Rules: LNK4, LNK9.
 *
 * LNK4: of several paths, a shortest one is named.
 */
export function refuseCycle(draft: Draft, link: Ends): Refusal | null {
  if (link.type !== LinkType.PRIMARY) return null;
  const path = shortestPath(draft.state, link);
  return path === null ? null : refuse('conflict.cycle', { path: hideRuns(draft, path, link.id) });
}

/** The ids from the link's target along active primary links to its source; null where there is no such path. */
function shortestPath(state: ModelState, link: Ends): string[] | null {
  const cameFrom = new Map<string, string | null>([[link.target, null]]);
  for (const id of cameFrom.keys()) {
    const next = state.links
      .filter((other) => other.id !== link.id && !other.inTrash && other.type === LinkType.PRIMARY)
      .filter((other) => other.source === id)
      .map((other) => other.target)
      .sort();
    for (const target of next) if (!cameFrom.has(target)) cameFrom.set(target, id);
  }
  if (!cameFrom.has(link.source)) return null;
  const path: string[] = [];
  for (let id: string | null = link.source; id !== null; id = cameFrom.get(id) ?? null) path.unshift(id);
  return path;
}

/**
 * Replaces each run of nodes and links that the caller cannot see by one null. Rules: LNK4, LNK9.
 */
function hideRuns(draft: Draft, path: readonly string[], without: string): (string | null)[] {
  const { state, actor, moment } = draft;
  const isSeen = (id: string) => seesNode(state, actor, findNode(state, id)!, moment.now);
  const isJoined = (source: string, target: string) =>
    state.links.some(
      (link) =>
        link.id !== without &&
        link.type === LinkType.PRIMARY &&
        link.source === source &&
        link.target === target &&
        seesLink(state, actor, link, moment.now),
    );
  const shown = path.flatMap((id, index): (string | null)[] => {
    const before = path[index - 1];
    if (!isSeen(id)) return [null];
    return before !== undefined && isSeen(before) && !isJoined(before, id) ? [null, id] : [id];
  });
  return shown.filter((id, index) => id !== null || shown[index - 1] !== null);
}
