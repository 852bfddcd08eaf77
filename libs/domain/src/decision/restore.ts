// The trashed links that return with a node, and the feeds that it then inherits. Restores and the
// visibility of trashed nodes share these rules. Rules: LNK2, LNK4, LNK5, TRS2, TRS3.
import type { LinkState } from '../state/state.ts';
import { exceedsDegreeLimit, type LinkDegree } from './link-degree.ts';

type RestorableLink = Pick<LinkState, 'private' | 'ownerId' | 'source' | 'target'>;

/** The graph around a link, including the links restored before it. */
interface RestoreContext<L> {
  readonly degree: LinkDegree;
  /** Whether the link would close a cycle (LNK4). */
  readonly closesCycle: (link: L) => boolean;
}

/**
 * Decides in order for each trashed link whether it returns with the node. `active` are the active
 * links on the node. A generator, so that `degree` can count each restored link before the next
 * decision.
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

/** Whether the link's owner sees an active link between the same ends (LNK5). */
function duplicates(link: RestorableLink, parallel: readonly RestorableLink[]): boolean {
  return parallel.some((other) => !other.private || other.ownerId === link.ownerId);
}

/** The restored links whose targets' feeds the node inherits (ACL3). */
export function parentsAfterRestore<L extends Pick<LinkState, 'source' | 'conveys' | 'private'>>(
  id: string,
  back: readonly L[],
): L[] {
  return back.filter((link) => link.source === id && link.conveys && !link.private);
}
