// The links of a copy of the graph, from slices and pages. Rules: EVT1, LNK9.
import { type Entity, isRemoval, isWholeLink, mergeStep, type Step } from '../merge-diff.ts';
import type { Slice } from '../slice-order.ts';
import type { CopyParts } from './copy-parts.ts';
import type { PendingRemovals } from './feeds/pending-removals.ts';

/** Whether a change is merged in full, or something must be fetched. */
export type Outcome = 'whole' | 'incomplete';

export interface LinkCopy {
  /** Applies one link of a slice. */
  applyLink(step: Step, slice: Slice): Outcome;
  /** Stores a link if both its ends are here, and drops it otherwise. */
  putLink(link: Entity): Outcome;
  /**
   * Applies that a link left a feed. It is dropped at once, since it may be private now, and
   * fetched again, since another feed may have it.
   */
  applyLinkLeft(id: string, slice: Slice): Outcome;
}

export function createLinkCopy({ entities, pageWindows }: CopyParts, pendingRemovals: PendingRemovals): LinkCopy {
  const areEndsHere = ({ source, target }: Entity) =>
    entities.nodes.has(String(source)) && entities.nodes.has(String(target));

  function putLink(link: Entity): Outcome {
    if (!areEndsHere(link)) {
      entities.dropLink(link.id);
      return 'incomplete';
    }
    entities.setLink(link);
    return 'whole';
  }

  return {
    applyLink(step, { feed, seq }) {
      const { id, after } = step;
      const known = entities.links.get(id);
      if (isRemoval(step)) {
        pageWindows.note(id, feed, seq, 'gone');
        if (known !== undefined && !(known.version > Number(after.version))) entities.dropLink(id);
        return 'whole';
      }
      if (pendingRemovals.isRemovedLater(id, feed, seq)) return 'whole';
      pageWindows.note(id, feed, seq, 'in');
      const merged = mergeStep(known, step, isWholeLink);
      return merged === 'missing' || merged === 'gone' ? 'incomplete' : putLink(merged);
    },
    putLink,
    applyLinkLeft(id, { feed, seq }) {
      pageWindows.note(id, feed, seq, 'gone');
      const link = entities.links.get(id);
      if (link === undefined) return 'whole';
      entities.dropLink(id);
      return areEndsHere(link) ? 'incomplete' : 'whole';
    },
  };
}
