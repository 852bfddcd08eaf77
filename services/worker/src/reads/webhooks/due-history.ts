// Whether nodes were due at their dates, by their later changes. The changes that a message reads are bounded:
// beyond, the date of a node counts as passed. Rules: HOOK5, HOOK6.
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { wasDue } from '@taskgraph/domain/webhooks/due-events';
import { loadBatches } from '@taskgraph/graph-store/reads/history/history-batches';
import { type Moment, walkTouches } from '@taskgraph/graph-store/reads/history/history-index';
import { readChangeLengths } from '@taskgraph/graph-store/webhooks/due-changes';
import type { WireNode } from '@taskgraph/wire/entities';
import type { FilterSource } from './event-filter.ts';

/** Later changes of one node, and of all nodes of a message, that are read, and their characters together. */
const MOST = { node: 50, message: 500, characters: 4_000_000 } as const;

/** Those of these nodes that had their present due dates, active and open, when these dates passed. */
export type DueHistory = (nodes: readonly WireNode[]) => Promise<WireNode[]>;

/** For one message: the bounds are those of all its calls together. */
export function createDueHistory({ database, takeTurn }: Pick<FilterSource, 'database' | 'takeTurn'>): DueHistory {
  const left: { message: number; characters: number } = { ...MOST };

  async function touchesOf(nodes: readonly WireNode[]): Promise<Map<string, Moment[]>> {
    const touches = new Map<string, Moment[]>();
    for (const { id, dueDate, lastEditedTime } of nodes) {
      if (dueDate === null || lastEditedTime <= dueDate || left.message <= 0) continue;
      // Changes in the same millisecond were before.
      const walk = walkTouches(database, id, { order: 'oldest', after: { ts: dueDate, batch: '~' } });
      const found = (await walk.next(Math.min(MOST.node, left.message))).slice(0, MOST.node);
      left.message -= found.length;
      touches.set(id, found);
    }
    return touches;
  }

  /** The batches that may be loaded, in order. */
  async function affordable(touches: ReadonlyMap<string, readonly Moment[]>): Promise<string[]> {
    const moments = new Map([...touches.values()].flat().map((moment) => [moment.batch, moment]));
    const ids = [...moments.values()].sort(byTime).map(({ batch }) => batch);
    const lengths = await readChangeLengths(database, ids);
    return ids.filter((id) => {
      const characters = lengths.get(id) ?? 0;
      if (characters > left.characters) return false;
      left.characters -= characters;
      return true;
    });
  }

  return async (nodes) => {
    const touches = await touchesOf(nodes);
    const batches = await affordable(touches);
    const loaded = new Set(batches);
    const nodesOf = new Map<string, Set<string>>();
    for (const [node, moments] of touches) {
      // What comes after a batch that is not loaded does not tell what was before it.
      const end = moments.findIndex(({ batch }) => !loaded.has(batch));
      for (const { batch } of end < 0 ? moments : moments.slice(0, end))
        nodesOf.set(batch, (nodesOf.get(batch) ?? new Set()).add(node));
    }
    const later = new Map([...touches.keys()].map((id) => [id, [] as StoredChange[]]));
    for await (const portion of loadBatches(database, batches, takeTurn)) {
      for (const found of portion) {
        const wanted = nodesOf.get(found.batch.id);
        for (const changes of found.changes())
          for (const change of changes) if (wanted?.has(change.id)) later.get(change.id)?.push(change);
      }
    }
    return nodes.filter(({ id, dueDate }) => dueDate !== null && wasDue({ id, dueDate }, later.get(id) ?? []));
  };
}

function byTime(one: Moment, other: Moment): number {
  if (one.ts !== other.ts) return one.ts < other.ts ? -1 : 1;
  return one.batch < other.batch ? -1 : 1;
}
