// Primary cycles are refused, with a path that names only what the caller can see. Rule: LNK4.
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Draft } from './draft.ts';

/**
 * Refuses a primary link source -> target where a path of active primary links already leads from target to source.
 *
 * `sees` tells whether the caller may learn a node's id; a run of nodes that they can't see becomes one null. `without`
 * leaves out the link that is being reversed.
 */
export function refuseCycle(
  draft: Draft,
  source: string,
  target: string,
  sees: (nodeId: string) => boolean,
  without?: string,
): Refusal | null {
  const path = draft.path(target, source, without);
  if (path === null) return null;
  draft.requireNodes(path);
  const shown: (string | null)[] = [];
  for (const id of path) {
    const visible = sees(id) ? id : null;
    if (visible !== null || shown.at(-1) !== null) shown.push(visible);
  }
  return refuse('conflict.cycle', 'The link would close a cycle of blocking links.', { path: shown });
}
