// The e-mails that gain or lose sight of nodes between two states, as far as a user may know
// (DRY3).
import type { ModelState, ModelUser } from '../state.ts';
import { grantsInForce, levelOf } from './access.ts';
import { feedMembers } from './feeds.ts';

const ADMIN = 1;

/**
 * E-mails by name, judged node by node by the grants that the user could list before or, for new
 * nodes, after.
 */
export function visibilityChange(
  { before, after }: { readonly before: ModelState; readonly after: ModelState },
  user: ModelUser,
  now: string,
): { gained: string[]; lost: string[] } {
  const listed = (nodeId: string) => {
    const state = before.nodes.some(({ id }) => id === nodeId) ? before : after;
    const node = state.nodes.find(({ id }) => id === nodeId);
    const level = node === undefined ? null : levelOf(state, user, node, now);
    return level !== null && level <= ADMIN;
  };
  const [saw, sees] = [seen(before, listed, now), seen(after, listed, now)];
  const nodes = new Set([...saw.keys(), ...sees.keys()]);
  const moved = (from: typeof saw, to: typeof saw) => {
    const emails = [...nodes].flatMap((id) => [...(to.get(id) ?? [])].filter((email) => !from.get(id)?.has(email)));
    return [...new Set(emails)].sort();
  };
  return { gained: moved(saw, sees), lost: moved(sees, saw) };
}

/** The e-mails that see each node by a grant on a listed root. */
function seen(state: ModelState, listed: (nodeId: string) => boolean, now: string): Map<string, Set<string>> {
  const readers = new Map<string, Set<string>>();
  for (const { nodeId, email, branch } of grantsInForce(state, now)) {
    if (!listed(nodeId)) continue;
    for (const id of feedMembers(state, `${branch ? 'root' : 'node'}:${nodeId}`).nodes) {
      readers.set(id, (readers.get(id) ?? new Set()).add(email));
    }
  }
  return readers;
}
