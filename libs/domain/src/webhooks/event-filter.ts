// The events of a batch that are for a webhook: of its types, of its branch, and about nodes that meet
// its conditions. Pure. Rule: HOOK5.
import { acceptsEvent } from '@taskgraph/wire/webhooks/webhook-fields';
import type { BatchEvents } from './webhook-body.ts';
import type { ShownEvent } from './webhook-events.ts';

/** A branch as it is now. */
export interface Branch {
  /** Its nodes and the links on them. */
  readonly ids: ReadonlySet<string>;
  /** The root, and the feeds that it belongs to. */
  readonly root: string;
  readonly feeds: ReadonlySet<string>;
}

/** The tests of a webhook. */
export interface EventTests {
  /** The types and kinds that it receives; empty for all. */
  readonly filters: readonly string[];
  /** Its branch; null for the whole graph. */
  readonly branch: Branch | null;
  /** Whether a node met the conditions before and after a change; null if that cannot be judged. */
  readonly meets: ((event: ShownEvent) => { readonly before: boolean; readonly after: boolean } | null) | null;
}

/** The part of a batch that is for a webhook; null if there is none. */
export function eventsFor(batch: BatchEvents, { filters, branch, meets }: EventTests): BatchEvents | null {
  const inBranch = branch === null ? batch.events : eventsInBranch(batch.events, branch);
  const met = meets === null ? inBranch : inBranch.flatMap((event) => judged(event, meets));
  // Changes before a gain are not reported, so the gain has to be.
  const events = met.filter(({ type }) => type === 'access.gained' || acceptsEvent(filters, type));
  return events.length === 0 ? null : { ...batch, events };
}

/**
 * An entity that is no longer in the branch belongs to it if a link of the batch leads from it into the
 * branch. So does the access to a feed that has the root.
 */
function eventsInBranch(events: readonly ShownEvent[], { ids, root, feeds }: Branch): ShownEvent[] {
  const isInside = (event: ShownEvent) =>
    ids.has(event.id) ||
    (event.feed !== undefined && (event.id === root || feeds.has(event.feed))) ||
    endsOf(event).some(({ target }) => ids.has(target));
  const sources = new Set(events.filter(isInside).flatMap((event) => endsOf(event).map(({ source }) => source)));
  return events.filter((event) => isInside(event) || sources.has(event.id));
}

/** The ends of a link, as far as the event names them. */
function endsOf({ type, before, after }: ShownEvent): { readonly source: string; readonly target: string }[] {
  if (!type.startsWith('link.')) return [];
  return [before, after].flatMap((state) => {
    const { source, target } = state ?? {};
    return typeof source === 'string' && typeof target === 'string' ? [{ source, target }] : [];
  });
}

/** Conditions concern nodes. A node that no longer meets them has left. */
function judged(event: ShownEvent, meets: NonNullable<EventTests['meets']>): ShownEvent[] {
  if (!event.type.startsWith('node.')) return [event];
  const verdict = meets(event);
  if (verdict === null || verdict.after) return [event];
  return verdict.before ? [{ type: 'node.left', id: event.id }] : [];
}
