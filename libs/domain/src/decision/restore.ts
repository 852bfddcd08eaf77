// Which trashed links come back with a node, and what it inherits by them: one judgement for those who restore it, and for those whose sight of
// it depends on what a restore would give. Rules: LNK2, LNK4, LNK5, TRS2, TRS3.
import type { LinkState } from '../state/state.ts';
import { exceedsDegreeLimit, type LinkDegree } from './link-degree.ts';

type RestorableLink = Pick<LinkState, 'private' | 'ownerId' | 'source' | 'target'>;

/** The graph around a link, with those that came back before it. */
interface RestoreContext<L> {
  readonly degree: LinkDegree;
  /** Whether it would close a cycle (LNK4). */
  readonly closesCycle: (link: L) => boolean;
}

/**
 * Judges the links that may come back with a node, in their order. `active` are those on it that are active already. Each is judged when the
 * one before it is dealt with, so that the surroundings may count what came back.
 */
export function* restorableLinks<L extends RestorableLink>(
  id: string,
  candidates: readonly L[],
  active: readonly RestorableLink[],
  { degree, closesCycle }: RestoreContext<L>,
): Generator<{ readonly link: L; readonly isRestored: boolean }> {
  const back = new Map<string, RestorableLink[]>();
  const parallelTo = (link: RestorableLink) => {
    const other = link.source === id ? link.target : link.source;
    const parallel = back.get(other) ?? [];
    back.set(other, parallel);
    return parallel;
  };
  for (const link of active) parallelTo(link).push(link);
  for (const link of candidates) {
    const isRestored = !duplicates(link, parallelTo(link)) && !exceedsDegreeLimit(link, degree) && !closesCycle(link);
    if (isRestored) parallelTo(link).push(link);
    yield { link, isRestored };
  }
}

/** Whether one of the active links between the same ends is seen by the link's own owner (LNK5). */
function duplicates(link: RestorableLink, parallel: readonly RestorableLink[]): boolean {
  return parallel.some((other) => !other.private || other.ownerId === link.ownerId);
}

/** The links by which a node that comes back with them inherits what their targets hand on (ACL3). */
export function parentsAfterRestore<L extends Pick<LinkState, 'source' | 'conveys' | 'private'>>(
  id: string,
  back: readonly L[],
): L[] {
  return back.filter((link) => link.source === id && link.conveys && !link.private);
}
