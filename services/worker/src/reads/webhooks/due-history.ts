// Whether nodes were due at their dates, by their later changes. Rules: HOOK5, HOOK6.
//
// 1. The bounds of one node decide about it: beyond, its date counts as passed. They do not depend on other nodes.
// 2. The bounds of a read only end it: the next one continues with the first node that is not decided.
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { wasDue } from '@taskgraph/domain/webhooks/due-events';
import { loadBatches } from '@taskgraph/graph-store/reads/history/history-batches';
import { type Moment, walkTouches } from '@taskgraph/graph-store/reads/history/history-index';
import { readChangeLengths } from '@taskgraph/graph-store/webhooks/due-changes';
import type { WireNode } from '@taskgraph/wire/entities';
import type { FilterSource } from './event-filter.ts';

/** Later changes of one node, and the characters of their batches, that are read. */
const MOST_OF_NODE = { changes: 50, characters: 4_000_000 } as const;
/** The same of all nodes of a read. The first node always fits, and the last one may exceed the number of changes. */
const MOST_OF_READ = { changes: 500, characters: MOST_OF_NODE.characters } as const;

interface DecidedNodes {
  /** How many of the first nodes are decided; at least one in a new read. */
  readonly decided: number;
  /** Those of them that had their present due dates, active and open, when these dates passed. */
  readonly due: readonly WireNode[];
}

export type DueHistory = (nodes: readonly WireNode[]) => Promise<DecidedNodes>;

/** For one read: its bounds are those of all its calls together. */
export function createDueHistory({
  database,
  acquireLongRead,
}: Pick<FilterSource, 'database' | 'acquireLongRead'>): DueHistory {
  const left: { changes: number; characters: number } = { ...MOST_OF_READ };

  /** The later changes of the first nodes, by node. */
  async function touchesOf(nodes: readonly WireNode[]): Promise<Map<WireNode, Moment[]>> {
    const touches = new Map<WireNode, Moment[]>();
    for (const node of nodes) {
      const { id, dueDate, lastEditedTime } = node;
      if (dueDate === null || lastEditedTime <= dueDate) {
        touches.set(node, []);
        continue;
      }
      if (left.changes <= 0) break;
      // Changes in the same millisecond were before.
      const walk = walkTouches(database, id, { order: 'oldest', after: { ts: dueDate, batch: '~' } });
      const found = (await walk.next(MOST_OF_NODE.changes)).slice(0, MOST_OF_NODE.changes);
      left.changes -= found.length;
      touches.set(node, found);
    }
    return touches;
  }

  /** The changes that decide about the first of these nodes, by node. */
  async function decisive(touches: ReadonlyMap<WireNode, readonly Moment[]>): Promise<Map<WireNode, Moment[]>> {
    const lengths = await readChangeLengths(database, [
      ...new Set([...touches.values()].flat().map(({ batch }) => batch)),
    ]);
    const [decided, loaded] = [new Map<WireNode, Moment[]>(), new Set<string>()];
    for (const [node, moments] of touches) {
      const read = firstOf(moments, lengths);
      const added = read.filter(({ batch }) => !loaded.has(batch));
      const characters = added.reduce((sum, { batch }) => sum + (lengths.get(batch) ?? 0), 0);
      if (characters > left.characters) break;
      left.characters -= characters;
      for (const { batch } of added) loaded.add(batch);
      decided.set(node, read);
    }
    return decided;
  }

  return async (nodes) => {
    const decided = await decisive(await touchesOf(nodes));
    const nodesOf = new Map<string, Set<string>>();
    for (const [{ id }, moments] of decided)
      for (const { batch } of moments) nodesOf.set(batch, (nodesOf.get(batch) ?? new Set()).add(id));
    const moments = new Map([...decided.values()].flat().map((moment) => [moment.batch, moment]));
    const batches = [...moments.values()].sort(byTime).map(({ batch }) => batch);
    const later = new Map([...decided.keys()].map(({ id }) => [id, [] as StoredChange[]]));
    for await (const portion of loadBatches(database, batches, acquireLongRead)) {
      for (const found of portion) {
        const wanted = nodesOf.get(found.batch.id);
        for (const changes of found.changes())
          for (const change of changes) if (wanted?.has(change.id)) later.get(change.id)?.push(change);
      }
    }
    const due = [...decided.keys()].filter(
      ({ id, dueDate }) => dueDate !== null && wasDue({ id, dueDate }, later.get(id) ?? []),
    );
    return { decided: decided.size, due };
  };
}

/** The first changes of a node, up to its bound: the later ones do not tell what was before a longer one. */
function firstOf(moments: readonly Moment[], lengths: ReadonlyMap<string, number>): Moment[] {
  let characters = 0;
  const end = moments.findIndex(({ batch }) => {
    characters += lengths.get(batch) ?? 0;
    return characters > MOST_OF_NODE.characters;
  });
  return moments.slice(0, end < 0 ? moments.length : end);
}

function byTime(one: Moment, other: Moment): number {
  if (one.ts !== other.ts) return one.ts < other.ts ? -1 : 1;
  return one.batch < other.batch ? -1 : 1;
}
