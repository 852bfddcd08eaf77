// A copy of the graph that follows slices, pages and changes of access. It drops a removed entity
// at once. A slice that it cannot merge becomes a gap at the slice's number, which the resync
// closes. Rules: EVT1, EVT2, ACL7.
import type { Ids } from '@taskgraph/wire/public-types';
import { type Entity, isRemoval, isWholeNode, joinSteps, mergeStep, type Step } from '../merge-diff.ts';
import type { AccessChanged } from '../session.ts';
import type { Slice } from '../slice-order.ts';
import type { CopyParts } from './copy-parts.ts';
import type { NodeRecord } from './entities.ts';
import { createFeedRemoval } from './feed-removal.ts';
import type { Heads } from './feeds/feed-progress.ts';
import type { InFlightPage, MembershipEvent } from './feeds/in-flight-page.ts';
import { createPendingRemovals } from './feeds/pending-removals.ts';
import { namesRoot, withPageFields } from './levels.ts';
import { createLinkCopy, type Outcome } from './link-copy.ts';

/** The entities of a page, each with all its fields. */
export interface WholePage {
  readonly nodes: readonly Entity[];
  readonly links: readonly Entity[];
  readonly gone?: Ids;
}

export interface GraphCopy {
  /** Applies the next slice of its feed. */
  applySlice(slice: Slice): void;
  /** Applies the removals of a slice that waits for earlier ones. */
  applyWaiting(slice: Slice): void;
  applyAccess(access: AccessChanged): void;
  /** Applies the service's list of the reader's feeds, with their heads. */
  reconcile(heads: Heads): void;
  /**
   * Applies a page. `inFlight` has the events since the page was requested; `after` has the numbers
   * that the page covers at least.
   */
  applyPage(page: WholePage, inFlight: InFlightPage, after: Heads): void;
  /**
   * Removes all unseen nodes from a feed, and drops those without another feed. Drops the unseen
   * links on the feed's other nodes.
   */
  removeUnseenFrom(feed: string, seen: ReadonlySet<string>): void;
  /** Drops everything unseen. */
  removeUnseen(seen: ReadonlySet<string>): void;
}

export function createGraphCopy(parts: CopyParts): GraphCopy {
  const { entities, readFeeds, levels, progress, pageWindows, requestFullRead, isFullReadDue, feedLost } = parts;
  const pendingRemovals = createPendingRemovals();
  const { removeFeed, mayBeInOwnTree } = createFeedRemoval(parts);
  const { applyLink, putLink, applyLinkLeft } = createLinkCopy(parts, pendingRemovals);

  /**
   * A slice that a page covers may be older than the page. It counts only for entities that no page
   * has shown yet.
   */
  const isApplicable = (slice: Slice, id: string) =>
    !pageWindows.isCovered(slice.feed, slice.seq) || pageWindows.isUnseen(id);

  function applyNode(step: Step, op: number, { feed, seq }: Slice): Outcome {
    const { id, after } = step;
    const known = entities.nodes.get(id);
    const version = Number(after.version);
    if (isRemoval(step)) {
      pageWindows.note(id, feed, seq, 'gone');
      if (known !== undefined && !(known.entity.version > version)) entities.dropNode(id);
      return 'whole';
    }
    const isRemovalPending = pendingRemovals.isRemovedLater(id, feed, seq);
    if (!isRemovalPending) pageWindows.note(id, feed, seq, 'in');
    else if (known === undefined) return 'whole';
    const merged = mergeStep(known?.entity, step, isWholeNode);
    if (merged === 'missing' || merged === 'gone') return 'incomplete';
    // A new feed may give another level. The own feed gives no more than any other.
    const isNewFeed = known !== undefined && !known.via.has(feed) && feed !== readFeeds.own();
    const record: NodeRecord = known ?? { entity: merged, via: new Set(), isDoubtful: false, isLevelDerived: true };
    record.entity = merged;
    if (!isRemovalPending) record.via.add(feed);
    if (known === undefined && op === NODE_ADD && !('publicToken' in merged))
      record.entity = { ...merged, publicToken: null };
    const outcome = deriveLevel(record);
    if (!levels.isOwn(record.entity) && Number(record.entity.access ?? 0) > ADMIN)
      record.entity = levels.withoutToken(record.entity);
    entities.setNode(id, record);
    const isTokenUnknown = op === NODE_PUBLISH && !('publicToken' in after) && Number(record.entity.access) <= ADMIN;
    if (isNewFeed && !levels.isOwn(record.entity)) return 'incomplete';
    return isTokenUnknown || levels.isTokenMissing(record.entity) ? 'incomplete' : outcome;
  }

  function deriveLevel(record: NodeRecord): Outcome {
    if (!record.isLevelDerived) return 'whole';
    const derived = levels.derive(record);
    if (derived === null) return 'incomplete';
    record.entity = derived;
    return 'whole';
  }

  function applyLeft(slice: Slice): Outcome {
    const { feed, seq, left = NO_IDS } = slice;
    // A page in flight may show these entities and is overridden, although another feed may still
    // have them.
    const isNamed = left.nodes.length + left.links.length > 0;
    let outcome: Outcome = isNamed && pageWindows.isInFlight() ? 'incomplete' : 'whole';
    for (const id of left.nodes) {
      pageWindows.note(id, feed, seq, 'left');
      const record = entities.nodes.get(id);
      if (record === undefined) continue;
      const wasMember = entities.leaveFeed(id, feed);
      if (record.via.size > 0 && !record.isDoubtful) {
        // The node's level may be different now.
        if (wasMember) outcome = 'incomplete';
        continue;
      }
      if (mayBeInOwnTree([id]) || record.via.size > 0) outcome = 'incomplete';
      entities.dropNode(id);
    }
    for (const id of left.links) outcome = applyLinkLeft(id, slice) === 'incomplete' ? 'incomplete' : outcome;
    // An answer with the full content of a feed does not name the entities that left it.
    if (outcome === 'incomplete' && progress.completeUpTo(feed) < 0) requestFullRead();
    return outcome;
  }

  function applyJoined({ feed, seq, joined = NO_IDS }: Slice): Outcome {
    for (const id of joined.nodes) {
      pageWindows.note(id, feed, seq, 'in');
      entities.joinFeed(id, feed);
    }
    const isMissing = joined.nodes.length > 0 || joined.links.some((id) => !entities.links.has(id));
    return isMissing ? 'incomplete' : 'whole';
  }

  /** Applies the removals of a slice to entities that no page has shown since. */
  function applyRemovals(slice: Slice): Outcome {
    // The marker in place of a slice that was too long has no entries.
    const { nodes = [], links = [], left = NO_IDS } = slice as Partial<Slice>;
    const isApplied = (step: Step) => isRemoval(step) && isApplicable(slice, step.id);
    for (const step of [...joinSteps(nodes)].filter(isApplied)) applyNode(step, -1, slice);
    for (const step of [...joinSteps(links)].filter(isApplied)) applyLink(step, slice);
    const some = (ids: readonly string[]) => ids.filter((id) => isApplicable(slice, id));
    return applyLeft({ ...slice, left: { nodes: some(left.nodes), links: some(left.links) } });
  }

  function loseFeed(feed: string): void {
    // Another feed may still have an entity that was dropped to be fetched again, and no answer
    // names it.
    if (!progress.isComplete(feed)) requestFullRead();
    progress.forget(feed);
    pendingRemovals.forget(feed);
    feedLost(feed);
    removeFeed(feed, () => true);
  }

  /**
   * Adds or updates a node of a page, unless a later event overrides the page. `lost` and
   * `levelChanged` are the feeds with such a change since the page was requested.
   */
  function applyPageNode(
    node: Entity,
    events: ReadonlyMap<string, MembershipEvent>,
    lost: readonly string[],
    levelChanged: readonly string[],
  ): void {
    pageWindows.markSeen(node.id);
    const { via, isDoubtful } = levels.feedsOf(node);
    if (isDoubtful && lost.some((feed) => namesRoot(node, feed))) {
      // The page may show the node only by the feed that was lost since.
      requestFullRead();
      return;
    }
    for (const [feed, event] of events) {
      if (event === 'in' && readFeeds.reads(feed)) via.add(feed);
      if (event === 'left') via.delete(feed);
    }
    if ([...events.values()].includes('gone') || via.size === 0) return;
    const known = entities.nodes.get(node.id);
    const record: NodeRecord = { entity: node, via, isDoubtful, isLevelDerived: typeof node.access !== 'number' };
    const [only] = via;
    // A page that is older than a change of the level does not teach it.
    if (only === undefined || !levelChanged.includes(only)) levels.learnFrom(record);
    if (known !== undefined && known.entity.version > node.version) record.entity = withPageFields(known.entity, node);
    for (const feed of levelChanged) if (via.has(feed)) record.entity = levels.withoutToken(record.entity);
    entities.setNode(node.id, record);
  }

  return {
    applySlice(slice) {
      const { feed, seq } = slice;
      if (!readFeeds.reads(feed)) {
        // A feed that was read or will be: an entity that is gone is gone from all feeds.
        applyRemovals({ ...slice, left: NO_IDS });
        return progress.addGap(feed, seq);
      }
      pendingRemovals.advance(feed, seq);
      if (pageWindows.isCovered(feed, seq)) {
        // The pages to come may contain only the feed's content, and do not name entities that left
        // it.
        if (applyRemovals(slice) === 'incomplete' && !isFullReadDue()) requestFullRead();
        return;
      }
      const ops = new Map([...slice.nodes].map(({ op, before, after }) => [String(after.id ?? before.id), op]));
      const outcomes = [
        ...[...joinSteps(slice.nodes)].map((step) => applyNode(step, ops.get(step.id) ?? -1, slice)),
        ...[...joinSteps(slice.links)].map((step) => applyLink(step, slice)),
        applyLeft(slice),
        applyJoined(slice),
      ];
      progress.delivered(feed, seq);
      if (outcomes.includes('incomplete') || slice.reset === true) progress.addGap(feed, seq);
    },
    applyWaiting(slice) {
      const { feed, seq } = slice;
      if (!readFeeds.reads(feed)) return void applyRemovals({ ...slice, left: NO_IDS });
      const outcome = applyRemovals(slice);
      if (pageWindows.isCovered(feed, seq)) return;
      pendingRemovals.add(slice);
      // The removal is applied, so the slice's own turn would not reveal the missing part.
      if (outcome === 'incomplete') progress.addGap(feed, seq);
    },
    applyAccess(access) {
      const { feed, change, seq } = access;
      const wasRead = readFeeds.reads(feed);
      if (!readFeeds.applyAccess(access)) return;
      const own = readFeeds.own();
      if (change === 'lost') return loseFeed(feed);
      // A feed that is gained while it is read was lost in between, and that event is late.
      if (change === 'gained' && wasRead) loseFeed(feed);
      if (change === 'gained') progress.addGap(feed, 0);
      // The answer brings the feed's content with its level.
      if (own !== null) progress.addGap(own, seq);
      for (const record of entities.nodes.values()) {
        if (!record.via.has(feed) || !('publicToken' in record.entity) || levels.isOwn(record.entity)) continue;
        record.entity = levels.withoutToken(record.entity);
        entities.setNode(record.entity.id, record);
      }
    },
    reconcile(heads) {
      // The slices up to these heads are missing, and may name another feed of a node.
      for (const [feed, head] of Object.entries(heads)) {
        const complete = progress.completeUpTo(feed);
        if (readFeeds.reads(feed) && complete < head) progress.addGap(feed, complete + 1, head);
      }
      const { lost, gained } = readFeeds.reconcile(heads);
      for (const feed of lost) loseFeed(feed);
      for (const feed of gained) progress.addGap(feed, 0);
    },
    applyPage({ nodes, links, gone = NO_IDS }, inFlight, after) {
      const has = (id: string, event: 'in' | 'gone') => [...inFlight.eventsOf(id, after).values()].includes(event);
      for (const id of gone.nodes) if (!has(id, 'in')) entities.dropNode(id);
      for (const id of gone.links) if (!has(id, 'in')) entities.dropLink(id);
      const [lost, levelChanged] = [readFeeds.accessAfter(after, 'lost'), readFeeds.accessAfter(after, 'level')];
      for (const node of nodes) applyPageNode(node, inFlight.eventsOf(node.id, after), lost, levelChanged);
      for (const link of links) {
        pageWindows.markSeen(link.id);
        if (has(link.id, 'gone')) continue;
        const known = entities.links.get(link.id);
        if (known === undefined || known.version <= link.version) putLink({ ...known, ...link });
      }
    },
    removeUnseenFrom(feed, seen) {
      removeFeed(feed, (id) => !seen.has(id));
      for (const [id, { via }] of entities.nodes) {
        if (!via.has(feed)) continue;
        for (const link of [...entities.linksOn(id)]) if (!seen.has(link)) entities.dropLink(link);
      }
    },
    removeUnseen(seen) {
      for (const id of [...entities.links.keys()]) if (!seen.has(id)) entities.dropLink(id);
      for (const id of [...entities.nodes.keys()]) if (!seen.has(id)) entities.dropNode(id);
    },
  };
}

const NO_IDS: Ids = { nodes: [], links: [] };
const NODE_ADD = 0;
const NODE_PUBLISH = 6;
const ADMIN = 1;
