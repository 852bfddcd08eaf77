// The branch of a root in a replica. Rules: PLAN7, FIND9.
import { localRefusal } from '../error.ts';
import type { Entity, GraphState } from '../merge-diff.ts';

/**
 * The nodes of a branch, each once: everything below the root over links that are not private.
 * Throws a TaskgraphError `not_found`.
 */
export function branchNodes({ nodes, links }: GraphState, root: string): Entity[] {
  const first = nodes.get(root);
  if (first === undefined) throw localRefusal('not_found', 'There is no such branch here.');
  const into = new Map<string, string[]>();
  for (const { source, target, private: isPrivate } of links.values()) {
    if (isPrivate === true) continue;
    const sources = into.get(String(target));
    if (sources) sources.push(String(source));
    else into.set(String(target), [String(source)]);
  }
  const found = new Map([[root, first]]);
  // The loop also visits the nodes that it adds.
  for (const id of found.keys()) {
    for (const source of into.get(id) ?? []) {
      const node = nodes.get(source);
      if (node !== undefined) found.set(source, node);
    }
  }
  return [...found.values()];
}
