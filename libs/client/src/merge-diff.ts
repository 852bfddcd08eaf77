// Merges pages and diffs into a client's copy of the graph, by id and version. Pure. Rules: EVT1, GEN6.

import type { Ids, Node, PageLink } from '@taskgraph/wire/public-types';
import type { DiffEntry, Slice } from './slice-order.ts';

/** A node or link as the client has it. */
export type Entity = Readonly<Record<string, unknown>> & { readonly id: string; readonly version: number };

/** A client's copy of the graph, by id. It is never changed: merging gives a new one. */
export interface GraphState {
  readonly nodes: ReadonlyMap<string, Entity>;
  readonly links: ReadonlyMap<string, Entity>;
}

/** A merged state, and the ids of what could not be merged because a step before it is missing: those have to be fetched. */
export interface Merged {
  readonly state: GraphState;
  readonly missing: readonly string[];
}

export const emptyGraph: GraphState = { nodes: new Map(), links: new Map() };

/** Merges the diff of an ack or a slice. Patches apply onto their `before.version` alone; older ones are ignored (EVT1). */
export function mergeDiff(state: GraphState, diff: Pick<Slice, 'nodes' | 'links'>): Merged {
  const missing: string[] = [];
  const nodes = mergeEntries(state.nodes, diff.nodes, isWholeNode, missing);
  const links = mergeEntries(state.links, diff.links, isWholeLink, missing);
  return { state: { nodes, links }, missing };
}

/** A slice's word of entities that came to its feed or left it without an entry that shows them (EVT2). */
export interface Moved {
  /** Ids that came and are not here. */
  readonly fetch: Ids;
  /** Ids that left and are here. A client that reads by several feeds may still read them by another, so that it asks before it drops them. */
  readonly drop: Ids;
  /** Too many moved to be named. */
  readonly reset: boolean;
}

/** Says what to fetch and what to drop. `changes:get` gives both: what came in its full form, and the ids of what is gone. */
export function movedIn(state: GraphState, { joined, left, reset }: Pick<Slice, 'joined' | 'left' | 'reset'>): Moved {
  const some = (ids: Ids | undefined, wanted: boolean): Ids => ({
    nodes: (ids?.nodes ?? []).filter((id) => state.nodes.has(id) === wanted),
    links: (ids?.links ?? []).filter((id) => state.links.has(id) === wanted),
  });
  return { fetch: some(joined, false), drop: some(left, true), reset: reset === true };
}

/** Merges a page: its entities are whole, so that a newer or equal version takes the place of what is there. */
export function mergePage(state: GraphState, page: { nodes: Node[]; links: PageLink[] }): GraphState {
  return { nodes: mergeWhole(state.nodes, page.nodes), links: mergeWhole(state.links, page.links) };
}

function mergeWhole(entities: ReadonlyMap<string, Entity>, page: readonly Entity[]): ReadonlyMap<string, Entity> {
  const merged = new Map(entities);
  for (const entity of page) {
    const known = merged.get(entity.id);
    if (known === undefined || known.version <= entity.version) merged.set(entity.id, { ...known, ...entity });
  }
  return merged;
}

export type Fields = Readonly<Record<string, unknown>>;

function mergeEntries(
  entities: ReadonlyMap<string, Entity>,
  entries: readonly DiffEntry[],
  isWhole: (fields: Fields) => boolean,
  missing: string[],
): ReadonlyMap<string, Entity> {
  if (entries.length === 0) return entities;
  const merged = new Map(entities);
  for (const step of joinSteps(entries)) {
    const next = mergeStep(merged.get(step.id), step, isWhole);
    if (next === 'missing') missing.push(step.id);
    else if (next === 'gone') merged.delete(step.id);
    else merged.set(step.id, next);
  }
  return merged;
}

/** The effect of a diff on one entity, from its first version to its last. */
export interface Step {
  readonly id: string;
  readonly before: Fields;
  readonly after: Fields;
}

/** Joins the entries of each entity: an earlier slice of the batch may have brought the last version with fewer fields. */
export function joinSteps(entries: readonly DiffEntry[]): Iterable<Step> {
  const steps = new Map<string, Step>();
  for (const entry of entries) {
    const [before, after] = [withStatus(entry.before), withStatus(entry.after)];
    const id = String(after.id ?? before.id);
    const earlier = steps.get(id);
    steps.set(
      id,
      earlier === undefined ? { id, before, after } : { ...earlier, after: { ...earlier.after, ...after } },
    );
  }
  return steps.values();
}

/** Other services of this interface write a status that changed as a side effect as `Status` (GEN6). */
function withStatus(fields: Fields): Fields {
  if (!('Status' in fields)) return fields;
  const { Status, ...rest } = fields;
  return { status: Status, ...rest };
}

/** Merges a step: the entity after it, `gone` where it was deleted for good, `missing` where a step before it did not come (EVT1). */
export function mergeStep(
  known: Entity | undefined,
  { before, after }: Step,
  isWhole: (fields: Fields) => boolean,
): Entity | 'missing' | 'gone' {
  if (after.deleted === true) return 'gone';
  const whole = isWhole(after);
  if (known === undefined) return whole ? (after as Entity) : 'missing';
  const version = Number(after.version);
  if (known.version > version) return known;
  if (known.version === version || known.version === before.version || whole) return { ...known, ...after } as Entity;
  return 'missing';
}

export function isWholeNode(fields: Fields): boolean {
  return 'title' in fields && 'createdTime' in fields && 'version' in fields;
}

export function isWholeLink(fields: Fields): boolean {
  return 'source' in fields && 'target' in fields && 'type' in fields && 'version' in fields;
}
