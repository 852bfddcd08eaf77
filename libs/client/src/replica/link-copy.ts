// The links of a copy of the graph, as slices and pages bring them. Rules: EVT1, LNK9.
import { type Entity, isWholeLink, mergeStep, type Step } from '../merge-diff.ts';
import type { Slice } from '../slice-order.ts';
import type { CopyParts } from './copy-parts.ts';
import type { Foretold } from './foretold.ts';

/** Whether a slice could be merged wholly, or leaves something to be asked for. */
export type Outcome = 'whole' | 'incomplete';

export interface LinkCopy {
  /** Takes one link of a slice. */
  takeLink(step: Step, slice: Slice): Outcome;
  /** A link is here with both of its ends alone, so that it goes with them. */
  putLink(link: Entity): Outcome;
  /** Takes in that a link left a feed: it goes at once, since it may be hidden, and is asked for, since another feed may show it. */
  leaveLink(id: string, slice: Slice): Outcome;
}

export function createLinkCopy({ entities, windows }: CopyParts, foretold: Foretold): LinkCopy {
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
    takeLink(step, { feed, seq }) {
      const { id, after } = step;
      const known = entities.links.get(id);
      if (after.deleted === true || after.inTrash === true) {
        windows.note(id, feed, seq, 'gone');
        if (known !== undefined && !(known.version > Number(after.version))) entities.dropLink(id);
        return 'whole';
      }
      if (foretold.isAway(id, feed, seq)) return 'whole';
      windows.note(id, feed, seq, 'in');
      const merged = mergeStep(known, step, isWholeLink);
      return merged === 'missing' || merged === 'gone' ? 'incomplete' : putLink(merged);
    },
    putLink,
    leaveLink(id, { feed, seq }) {
      windows.note(id, feed, seq, 'gone');
      const link = entities.links.get(id);
      if (link === undefined) return 'whole';
      entities.dropLink(id);
      return areEndsHere(link) ? 'incomplete' : 'whole';
    },
  };
}
