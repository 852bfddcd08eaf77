// A copy of the graph that follows slices, pages and news of access. Things that it is told to take away go at once; a slice that it can't merge is a
// hole at its slice's number, for the healer to ask about. Rules: EVT1, EVT2, ACL7.

import type { Ids } from '@taskgraph/wire/public-types';
import { type Entity, isWholeNode, joinSteps, mergeStep, type Step } from '../merge-diff.ts';
import type { AccessChanged } from '../session.ts';
import type { Slice } from '../slice-order.ts';
import type { CopyParts } from './copy-parts.ts';
import { createDeparture } from './departure.ts';
import type { HeldNode } from './entities.ts';
import type { Flight } from './flight.ts';
import { createForetold } from './foretold.ts';
import { ahead, namesRoot } from './levels.ts';
import { createLinkCopy, type Outcome } from './link-copy.ts';

/** Nodes and links of a page, whole. */
export interface WholePage {
  readonly nodes: readonly Entity[];
  readonly links: readonly Entity[];
  readonly gone?: Ids;
}

export interface GraphCopy {
  /** Takes the next slice of its feed. */
  takeSlice(slice: Slice): void;
  /** Takes away what a slice takes away that has to wait for the ones before it. */
  takeWaiting(slice: Slice): void;
  hear(news: AccessChanged): void;
  /** Takes in the feeds that are read, by their numbers. */
  compare(heads: Readonly<Record<string, number>>): void;
  /** Takes a page in; `flight` has what was heard since it was asked for, `after` the numbers that the page is at least of. */
  takePage(page: WholePage, flight: Flight, after: Readonly<Record<string, number>>): void;
  /** Takes a feed off all nodes that were not seen; those that are read by no other go, and all links on its nodes that were not seen. */
  leaveUnseen(feed: string, seen: ReadonlySet<string>): void;
  /** Takes away all that was not seen. */
  sweep(seen: ReadonlySet<string>): void;
}

export function createGraphCopy(parts: CopyParts): GraphCopy {
  const { entities, reading, levels, progress, windows, wantWalk, isReading } = parts;
  const foretold = createForetold();
  const { leaveFeed, mayBeInOwnTree } = createDeparture(parts);
  const { takeLink, putLink, leaveLink } = createLinkCopy(parts, foretold);

  /** A slice whose content is in a page already may be older than the page: only what no page has shown yet goes by it. */
  const mayTake = (slice: Slice, id: string) => !windows.isCovered(slice.feed, slice.seq) || windows.isUnseen(id);

  function takeNode(step: Step, op: number, { feed, seq }: Slice): Outcome {
    const { id, after } = step;
    const known = entities.nodes.get(id);
    const version = Number(after.version);
    if (after.deleted === true || after.inTrash === true) {
      windows.note(id, feed, seq, 'gone');
      if (known !== undefined && !(known.entity.version > version)) entities.dropNode(id);
      return 'whole';
    }
    const isForetold = foretold.isAway(id, feed, seq);
    if (!isForetold) windows.note(id, feed, seq, 'in');
    else if (known === undefined) return 'whole';
    const merged = mergeStep(known?.entity, step, isWholeNode);
    if (merged === 'missing' || merged === 'gone') return 'incomplete';
    // By a feed that nobody knew of it, its level may be another; its owner's trees give no more than any feed.
    const isNewWay = known !== undefined && !known.via.has(feed) && feed !== reading.own();
    const held: HeldNode = known ?? { entity: merged, via: new Set(), isDoubtful: false, isLevelDerived: true };
    held.entity = merged;
    if (!isForetold) held.via.add(feed);
    if (known === undefined && op === NODE_ADD && !('publicToken' in merged))
      held.entity = { ...merged, publicToken: null };
    const outcome = deriveLevel(held);
    if (!levels.isOwn(held.entity) && Number(held.entity.access ?? 0) > ADMIN)
      held.entity = levels.withoutToken(held.entity);
    entities.setNode(id, held);
    const isToken = op === NODE_PUBLISH && !('publicToken' in after) && Number(held.entity.access) <= ADMIN;
    if (isNewWay && !levels.isOwn(held.entity)) return 'incomplete';
    return outcome === 'incomplete' || isToken || levels.lacksToken(held.entity) ? 'incomplete' : 'whole';
  }

  function deriveLevel(held: HeldNode): Outcome {
    if (!held.isLevelDerived) return 'whole';
    const derived = levels.derive(held);
    if (derived === null) return 'incomplete';
    held.entity = derived;
    return 'whole';
  }

  function takeLeft(slice: Slice): Outcome {
    const { feed, seq, left } = slice;
    const isNamed = (left?.nodes.length ?? 0) + (left?.links.length ?? 0) > 0;
    // A page that is on its way may show them, and passes them over for this word; by another feed they may still be read.
    let outcome: Outcome = isNamed && windows.isFlying() ? 'incomplete' : 'whole';
    for (const id of left?.nodes ?? []) {
      windows.note(id, feed, seq, 'left');
      const held = entities.nodes.get(id);
      if (held === undefined) continue;
      const wasThere = held.via.delete(feed);
      if (held.via.size > 0 && !held.isDoubtful) {
        // Its level may be another now.
        if (wasThere) outcome = 'incomplete';
        continue;
      }
      if (mayBeInOwnTree([id]) || held.via.size > 0) outcome = 'incomplete';
      entities.dropNode(id);
    }
    for (const id of left?.links ?? []) outcome = leaveLink(id, slice) === 'incomplete' ? 'incomplete' : outcome;
    // Of a feed whose content is still to come whole, no answer names what left it.
    if (outcome === 'incomplete' && progress.settled(feed) < 0) wantWalk();
    return outcome;
  }

  function takeJoined({ feed, seq, joined }: Slice): Outcome {
    for (const id of joined?.nodes ?? []) {
      windows.note(id, feed, seq, 'in');
      entities.nodes.get(id)?.via.add(feed);
    }
    const fetches = (joined?.nodes.length ?? 0) > 0 || joined?.links.some((id) => !entities.links.has(id)) === true;
    return fetches ? 'incomplete' : 'whole';
  }

  /** Takes away what a slice takes away, of what no page has shown since. */
  function hide(slice: Slice): Outcome {
    // A marker in place of a slice that was too long says nothing.
    const { nodes = [], links = [], left } = slice as Partial<Slice>;
    const isAway = ({ id, after }: Step) => (after.deleted === true || after.inTrash === true) && mayTake(slice, id);
    for (const step of [...joinSteps(nodes)].filter(isAway)) takeNode(step, -1, slice);
    for (const step of [...joinSteps(links)].filter(isAway)) takeLink(step, slice);
    const some = (ids: readonly string[] = []) => ids.filter((id) => mayTake(slice, id));
    return takeLeft({ ...slice, left: { nodes: some(left?.nodes), links: some(left?.links) } });
  }

  function lose(feed: string): void {
    // An entity that was taken away to be asked for may still be read by another feed, and no answer names it any more.
    if (!progress.isWhole(feed)) wantWalk();
    progress.forget(feed);
    foretold.forget(feed);
    parts.lost(feed);
    leaveFeed(feed, () => true);
  }

  return {
    takeSlice(slice) {
      const { feed, seq } = slice;
      if (!reading.reads(feed)) {
        // It is the reader's, or was: what is gone is gone from all feeds.
        hide({ ...slice, left: NOTHING });
        return progress.hole(feed, seq);
      }
      foretold.pass(feed, seq);
      if (windows.isCovered(feed, seq)) {
        // The pages that are coming may be of the feed's content alone, and name nothing that left it.
        if (hide(slice) === 'incomplete' && !isReading()) wantWalk();
        return;
      }
      const ops = new Map([...slice.nodes].map(({ op, before, after }) => [String(after.id ?? before.id), op]));
      const outcomes = [
        ...[...joinSteps(slice.nodes)].map((step) => takeNode(step, ops.get(step.id) ?? -1, slice)),
        ...[...joinSteps(slice.links)].map((step) => takeLink(step, slice)),
        takeLeft(slice),
        takeJoined(slice),
      ];
      progress.delivered(feed, seq);
      if (outcomes.includes('incomplete') || slice.reset === true) progress.hole(feed, seq);
    },
    takeWaiting(slice) {
      const { feed, seq } = slice;
      if (!reading.reads(feed)) return void hide({ ...slice, left: NOTHING });
      const outcome = hide(slice);
      if (windows.isCovered(feed, seq)) return;
      foretold.add(slice);
      // When its turn comes, there is nothing left that could be missed.
      if (outcome === 'incomplete') progress.hole(feed, seq);
    },
    hear(news) {
      const wasRead = reading.reads(news.feed);
      if (reading.hear(news) === null) return;
      const own = reading.own();
      if (news.change === 'lost') return lose(news.feed);
      // Gained while it was read: it was lost in between, and the word of that is late.
      if (news.change === 'gained' && wasRead) lose(news.feed);
      if (news.change === 'gained') progress.hole(news.feed, 0);
      // The feed's content comes anew with its level.
      if (own !== null) progress.hole(own, news.seq);
      for (const held of entities.nodes.values()) {
        if (!held.via.has(news.feed) || !('publicToken' in held.entity) || levels.isOwn(held.entity)) continue;
        held.entity = levels.withoutToken(held.entity);
        entities.setNode(held.entity.id, held);
      }
    },
    compare(heads) {
      // Slices up to there are missing, and may say by which other way a node is read.
      for (const [feed, head] of Object.entries(heads)) {
        const settled = progress.settled(feed);
        if (reading.reads(feed) && settled < head) progress.hole(feed, settled + 1, head);
      }
      const { lost, gained } = reading.compare(heads);
      for (const feed of lost) lose(feed);
      for (const feed of gained) progress.hole(feed, 0);
    },
    takePage({ nodes, links, gone }, flight, after) {
      for (const id of gone?.nodes ?? [])
        if (![...flight.wordsOn(id, after).values()].includes('in')) entities.dropNode(id);
      for (const id of gone?.links ?? [])
        if (![...flight.wordsOn(id, after).values()].includes('in')) entities.dropLink(id);
      const [lost, relevelled] = [reading.newsAfter(after, 'lost'), reading.newsAfter(after, 'level')];
      for (const node of nodes) {
        windows.see(node.id);
        const { via, isDoubtful } = levels.feedsOf(node);
        if (isDoubtful && lost.some((feed) => namesRoot(node, feed))) {
          // The page is of before, and nothing says that the node is read by more than the feed that was lost since.
          wantWalk();
          continue;
        }
        const words = flight.wordsOn(node.id, after);
        for (const [feed, word] of words) {
          if (word === 'in' && reading.reads(feed)) via.add(feed);
          if (word === 'left') via.delete(feed);
        }
        if ([...words.values()].includes('gone') || via.size === 0) continue;
        const known = entities.nodes.get(node.id);
        const held: HeldNode = { entity: node, via, isDoubtful, isLevelDerived: typeof node.access !== 'number' };
        levels.learn(held);
        if (known !== undefined && known.entity.version > node.version) held.entity = ahead(known.entity, node);
        for (const feed of relevelled) if (via.has(feed)) held.entity = levels.withoutToken(held.entity);
        entities.setNode(node.id, held);
      }
      for (const link of links) {
        windows.see(link.id);
        if ([...flight.wordsOn(link.id, after).values()].includes('gone')) continue;
        const known = entities.links.get(link.id);
        if (known === undefined || known.version <= link.version) putLink({ ...known, ...link });
      }
    },
    leaveUnseen(feed, seen) {
      leaveFeed(feed, (id) => !seen.has(id));
      for (const [id, { via }] of entities.nodes) {
        if (!via.has(feed)) continue;
        for (const link of [...entities.linksOn(id)]) if (!seen.has(link)) entities.dropLink(link);
      }
    },
    sweep(seen) {
      for (const id of [...entities.links.keys()]) if (!seen.has(id)) entities.dropLink(id);
      for (const id of [...entities.nodes.keys()]) if (!seen.has(id)) entities.dropNode(id);
    },
  };
}

const NOTHING: Ids = { nodes: [], links: [] };
const NODE_ADD = 0;
const NODE_PUBLISH = 6;
const ADMIN = 1;
