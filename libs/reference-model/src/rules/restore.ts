// The nodes and links that a restore of a node would restore: the node, and its links that were
// trashed with a node (TRS3).

import type { ModelLink, ModelState } from '../state.ts';
import { cached, finish } from '../state-cache.ts';

const PRIMARY = 0;

/** Whether a node exists and is not in the trash. */
export function isActive(state: ModelState, nodeId: string): boolean {
  return state.nodes.some((node) => node.id === nodeId && !node.inTrash);
}

/**
 * Whether an active link of the same two ends conflicts with a link, in either direction. Rules:
 * LNK5, TRS3.
 *
 * LNK5: for a link that is restored with its node, "private links of others" are those of users
 * other than the link's owner.
 */
function duplicates(state: ModelState, link: ModelLink): boolean {
  return state.links.some((other) => {
    if (other.id === link.id || other.inTrash || (other.private && other.ownerId !== link.ownerId)) return false;
    const same = other.source === link.source && other.target === link.target;
    return same || (other.source === link.target && other.target === link.source);
  });
}

/**
 * Whether a link would close a cycle of primary links if it were active; hidden links count too.
 * Rules: LNK4, LNK9.
 */
function closesCycle(state: ModelState, link: ModelLink): boolean {
  if (link.type !== PRIMARY) return false;
  const reached = new Set([link.target]);
  for (const id of reached) {
    for (const other of state.links) {
      if (other.id === link.id || other.inTrash || other.type !== PRIMARY) continue;
      if (other.source === id) reached.add(other.target);
    }
  }
  return reached.has(link.source);
}

/**
 * The links that a restore of a node would restore now, and those that must stay in the trash, each
 * in order of id. A candidate is judged with the earlier ones active. Rules: TRS3.
 */
export function restorableLinks(state: ModelState, nodeId: string): { back: ModelLink[]; skipped: ModelLink[] } {
  let judged = withNodeActive(state, nodeId);
  const candidates = state.links
    .filter((link) => link.inTrash && link.marked && (link.source === nodeId || link.target === nodeId))
    .filter((link) => isActive(judged, link.source) && isActive(judged, link.target))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const back: ModelLink[] = [];
  const skipped: ModelLink[] = [];
  for (const link of candidates) {
    if (duplicates(judged, link) || closesCycle(judged, link)) {
      skipped.push(link);
    } else {
      back.push(link);
      judged = withLinksActive(judged, [link]);
    }
  }
  return { back, skipped };
}

/**
 * The state after a restore of a node now, as far as membership is concerned. Rules: TRS2, TRS3.
 */
export function stateAfterRestore(state: ModelState, nodeId: string): ModelState {
  return cached(state, `as if ${nodeId} was restored`, () => {
    return finish(withLinksActive(withNodeActive(state, nodeId), restorableLinks(state, nodeId).back));
  });
}

function withNodeActive(state: ModelState, nodeId: string): ModelState {
  return { ...state, nodes: state.nodes.map((node) => (node.id === nodeId ? { ...node, inTrash: false } : node)) };
}

function withLinksActive(state: ModelState, links: readonly ModelLink[]): ModelState {
  const ids = new Set(links.map((link) => link.id));
  return { ...state, links: state.links.map((link) => (ids.has(link.id) ? { ...link, inTrash: false } : link)) };
}
