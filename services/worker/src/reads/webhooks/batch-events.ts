// The events of batches, as the user of a webhook sees them now. History's rules decide what is
// visible, and the entries of the user's feeds what is reported. Rules: HIS7, HOOK2, HOOK5.
import { disclosureOf, levelIfActive } from '@taskgraph/domain/access/trash-visibility';
import type { BatchEvents } from '@taskgraph/domain/webhooks/webhook-body';
import {
  bareEvent,
  type EventReader,
  eventsOfChanges,
  eventsOfMoves,
  type NamedIds,
  type ShownEvent,
} from '@taskgraph/domain/webhooks/webhook-events';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { HistoryBatch } from '@taskgraph/graph-store/reads/history/history-batches';
import type { ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { readVisible, type Visible } from '@taskgraph/graph-store/reads/visible';
import type { RecentBatches } from './recent-batches.ts';

/** Events of one batch with fields. A message with fewer is already too long for these. */
const MAXIMUM_WHOLE_EVENTS = 2_000;

export interface EventSource {
  readonly database: Database;
  readonly readerAccess: ReaderAccess;
  readonly recent: RecentBatches;
  /** Waits for the permit to read a text that is longer than a page. */
  readonly acquireLongRead: () => Promise<void>;
}

/** The events of these batches, in order and in portions. A batch may have none that its reader sees now. */
export async function* readBatchEvents(
  { database, readerAccess, recent, acquireLongRead }: EventSource,
  batches: ReadonlyMap<string, NamedIds>,
): AsyncGenerator<BatchEvents[]> {
  for await (const portion of recent.batches(database, [...batches.keys()], acquireLongRead)) {
    const named = portion.map(({ batch }) => batches.get(batch.id) as NamedIds);
    const visible = await readVisible(database, readerAccess, {
      nodes: named.flatMap(({ nodes }) => [...nodes]),
      links: named.flatMap(({ links }) => [...links]),
    });
    const reader = readerOf(readerAccess, visible);
    yield portion.map((found, index) => batchEvents(found, eventsOf(found, named[index] as NamedIds, reader)));
  }
}

function batchEvents({ batch }: HistoryBatch, events: readonly ShownEvent[]): BatchEvents {
  const { id: batchId, ts, actorUsername: username, actorEmail: email } = batch;
  const isThin = events.length > MAXIMUM_WHOLE_EVENTS;
  return { batchId, actor: { username, email }, ts, events, ...(isThin ? { isThin } : {}) };
}

function readerOf({ email }: ReaderAccess, visible: Visible): EventReader {
  return {
    email,
    disclosure: (change) => disclosureOf(visible, change),
    sees(kind, id) {
      if (kind === 'node') return levelIfActive(visible, id) !== null;
      return visible.link(id)?.inTrash === false && disclosureOf(visible, { kind, id }) !== null;
    },
  };
}

function eventsOf(found: HistoryBatch, named: NamedIds, reader: EventReader): ShownEvent[] {
  const events: ShownEvent[] = [];
  const changed = new Set<string>();
  for (const changes of found.changes()) {
    for (const { id } of changes) changed.add(id);
    for (const event of eventsOfChanges(changes, named, reader)) {
      events.push(events.length < MAXIMUM_WHOLE_EVENTS ? event : bareEvent(event));
    }
  }
  return [...events, ...eventsOfMoves(named, changed, reader)];
}
