// Which trashed links come back with a node, and what it inherits by them: one judgement for those who restore it, and for those whose sight of
// it depends on what a restore would give. Rules: LNK2, LNK4, LNK5, TRS2, TRS3.
import type { LinkState } from '../state/state.ts';
import { type Crowd, isTooMany } from './crowding.ts';

type Returning = Pick<LinkState, 'private' | 'ownerId' | 'source' | 'target'>;

/** The graph around a link, with those that came back before it. */
interface Surroundings<L> {
  readonly crowd: Crowd;
  /** Whether it would close a cycle (LNK4). */
  readonly closesCycle: (link: L) => boolean;
}

/**
 * Judges the links that may come back with a node, in their order. `active` are those on it that are active already. Each is judged when the
 * one before it is dealt with, so that the surroundings may count what came back.
 */
export function* judgeReturning<L extends Returning>(
  id: string,
  candidates: readonly L[],
  active: readonly Returning[],
  { crowd, closesCycle }: Surroundings<L>,
): Generator<{ readonly link: L; readonly returns: boolean }> {
  const back = new Map<string, Returning[]>();
  const besideOf = (link: Returning) => {
    const other = link.source === id ? link.target : link.source;
    const beside = back.get(other) ?? [];
    back.set(other, beside);
    return beside;
  };
  for (const link of active) besideOf(link).push(link);
  for (const link of candidates) {
    const returns = !duplicates(link, besideOf(link)) && !isTooMany(link, crowd) && !closesCycle(link);
    if (returns) besideOf(link).push(link);
    yield { link, returns };
  }
}

/** Whether one of the active links between the same ends is seen by the link's own owner (LNK5). */
function duplicates(link: Returning, beside: readonly Returning[]): boolean {
  return beside.some((other) => !other.private || other.ownerId === link.ownerId);
}

/** The links by which a node that comes back with them inherits what their targets hand on (ACL3). */
export function parentsOnReturn<L extends Pick<LinkState, 'source' | 'conveys' | 'private'>>(
  id: string,
  back: readonly L[],
): L[] {
  return back.filter((link) => link.source === id && link.conveys && !link.private);
}
