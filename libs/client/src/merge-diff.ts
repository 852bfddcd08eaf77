// Merges pages and diffs into a client's copy of the graph, by id and version. Pure functions.
// Rules: EVT1, GEN6.
import type { Ids, Node, PageLink } from '@taskgraph/wire/public-types';
import type { DiffEntry, Slice } from './slice-order.ts';

/** A node or link in the client's copy. */
export type Entity = Readonly<Record<string, unknown>> & { readonly id: string; readonly version: number };

/** A client's copy of the graph, by id. It is immutable: merging returns a new one. */
export interface GraphState {
  readonly nodes: ReadonlyMap<string, Entity>;
  readonly links: ReadonlyMap<string, Entity>;
}

/** A merged state, and the ids to fetch, since an earlier step of theirs is missing. */
export interface MergeResult {
  readonly state: GraphState;
  readonly missing: readonly string[];
}

export const emptyGraph: GraphState = { nodes: new Map(), links: new Map() };

/**
 * Merges the diff of an answer or a slice. A patch applies only to its `before.version`; older ones
 * are ignored (EVT1).
 */
export function mergeDiff(state: GraphState, diff: Pick<Slice, 'nodes' | 'links'>): MergeResult {
  const missing: string[] = [];
  const nodes = mergeEntries(state.nodes, diff.nodes, isWholeNode, missing);
  const links = mergeEntries(state.links, diff.links, isWholeLink, missing);
  return { state: { nodes, links }, missing };
}

/** The entities that joined a slice's feed or left it without an entry for them (EVT2). */
export interface MembershipChanges {
  /** Ids that joined and are not in the copy. */
  readonly fetch: Ids;
  /**
   * Ids that left and are in the copy. Another feed may still show them: ask the service before
   * dropping them.
   */
  readonly drop: Ids;
  /** Too many joined or left to be listed. */
  readonly reset: boolean;
}

/**
 * The entities to fetch and to drop. `changes:get` returns both: added entities in full, and the
 * ids of removed ones.
 */
export function movedIn(
  state: GraphState,
  { joined, left, reset }: Pick<Slice, 'joined' | 'left' | 'reset'>,
): MembershipChanges {
  const some = (ids: Ids | undefined, wanted: boolean): Ids => ({
    nodes: (ids?.nodes ?? []).filter((id) => state.nodes.has(id) === wanted),
    links: (ids?.links ?? []).filter((id) => state.links.has(id) === wanted),
  });
  return { fetch: some(joined, false), drop: some(left, true), reset: reset === true };
}

/**
 * Merges a page. Its entities are complete, so an equal or newer version replaces the one in the
 * copy.
 */
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

/** The change of one entity by a diff, from its first version to its last. */
export interface Step {
  readonly id: string;
  readonly before: Fields;
  readonly after: Fields;
}

/**
 * Joins the entries of each entity, since another slice of the batch may have brought the last
 * version with fewer fields.
 */
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

/**
 * Other services with this interface write a status that changed as a side effect as `Status`
 * (GEN6).
 */
function withStatus(fields: Fields): Fields {
  if (!('Status' in fields)) return fields;
  const { Status, ...rest } = fields;
  return { status: Status, ...rest };
}

/**
 * Merges a step. Returns the entity, `gone` if it is deleted, or `missing` if an earlier step is
 * missing (EVT1).
 */
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

/** Whether the entity is in the trash or deleted after the step. */
export function isRemoval({ after }: Step): boolean {
  return after.deleted === true || after.inTrash === true;
}

export function isWholeNode(fields: Fields): boolean {
  return 'title' in fields && 'createdTime' in fields && 'version' in fields;
}

export function isWholeLink(fields: Fields): boolean {
  return 'source' in fields && 'target' in fields && 'type' in fields && 'version' in fields;
}
