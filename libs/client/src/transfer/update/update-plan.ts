// Compares a file with the rows of its source and the graph: a three-way merge for each value. Pure.
// Rule: IO12.
import type { ImportLink, ImportTask } from '@taskgraph/wire/public-types';
import { placeOf, push, type TransferGraph, type TransferNode } from '../graph/transfer-graph.ts';
import { baseOf, changedSince, type FieldName, type FieldValues, isSameValue } from '../import/field-hashes.ts';
import { linkBase, type RowChange } from '../import/row-recorder.ts';
import type { SourceIds } from '../import/source-ids.ts';
import { type GraphView, type NodeView, pairOf, type SourceRows } from './source-state.ts';
import type {
  CreateOperation,
  FieldOperation,
  LinkOperation,
  RelinkOperation,
  RestoreOperation,
  TrashOperation,
  UnlinkOperation,
} from './update-operations.ts';
import { createUpdateLog, type UpdateLog } from './update-report.ts';

export interface UpdateChoices {
  /** Whether tasks and links that are gone from the file move to the trash. */
  readonly remove?: boolean | undefined;
  /** Whether the file wins where a person changed the same value. */
  readonly overwrite?: boolean | undefined;
}

export interface UpdateInput extends UpdateChoices {
  readonly graph: TransferGraph;
  readonly ids: SourceIds;
  readonly rows: SourceRows;
  readonly view: GraphView;
  /** The node below which new tasks are added; null for none. */
  readonly under: string | null;
}

export interface UpdatePlan {
  readonly creates: readonly CreateOperation[];
  /** Nodes that an earlier update moved to the trash, and whose tasks the file has again. */
  readonly restores: readonly RestoreOperation[];
  /** Links to add and to change, then those to remove, and nodes to move to the trash. */
  readonly links: readonly (LinkOperation | RelinkOperation)[];
  /** Links from tasks that are completed last: before, these would reopen what they block (BLK3). */
  readonly lateLinks: readonly (LinkOperation | RelinkOperation)[];
  readonly removals: readonly (UnlinkOperation | TrashOperation)[];
  /** Fields other than the status. */
  readonly updates: readonly FieldOperation[];
  readonly statuses: readonly FieldOperation[];
  /** Statuses of tasks that become independent or no longer are, which changes a Completed one (BLK7). */
  readonly lateStatuses: readonly FieldOperation[];
  /** Fields of tasks that already have the values of the file, by the ids of the tasks. */
  readonly adopted: readonly {
    readonly task: string;
    readonly fields: readonly FieldName[];
    readonly file: TransferNode;
  }[];
  readonly adoptedLinks: readonly RowChange[];
  /** Tasks that their titles identify, and that are at another place of the file: with their new paths. */
  readonly moved: ReadonlyMap<string, string>;
  /** Everything that stays as it is although the file says something else. */
  readonly notes: UpdateLog;
}

interface PlanBuilder {
  readonly input: UpdateInput;
  readonly creates: CreateOperation[];
  readonly restores: RestoreOperation[];
  readonly links: (LinkOperation | RelinkOperation)[];
  readonly unlinks: UnlinkOperation[];
  readonly trashes: TrashOperation[];
  readonly updates: FieldOperation[];
  readonly statuses: FieldOperation[];
  readonly lateStatuses: FieldOperation[];
  readonly adopted: { task: string; fields: FieldName[]; file: TransferNode }[];
  readonly adoptedLinks: RowChange[];
  readonly moved: Map<string, string>;
  readonly notes: UpdateLog;
  /** The tasks of the file by their ids. */
  readonly files: ReadonlyMap<string, TransferNode>;
}

export function planUpdate(input: UpdateInput): UpdatePlan {
  const { graph, ids, rows, view } = input;
  const files = new Map(
    graph.nodes.flatMap((node): [string, TransferNode][] => {
      const id = ids.byKey.get(node.key);
      return id === undefined ? [] : [[id, node]];
    }),
  );
  const plan: PlanBuilder = {
    input,
    files,
    creates: [],
    restores: [],
    links: [],
    unlinks: [],
    trashes: [],
    updates: [],
    statuses: [],
    lateStatuses: [],
    adopted: [],
    adoptedLinks: [],
    moved: new Map(),
    notes: createUpdateLog(),
  };
  for (const node of ids.unmatched) plan.notes.note('ambiguous', placeOf(node));
  const sources = keysWithTargets(plan);
  const bucketOf = createBuckets();
  for (const [task, node] of files) {
    const row = rows.tasks.get(task);
    // Also tasks that exist, so that the same tasks have the same number after an interruption.
    const bucket = bucketOf(task, node);
    const path = ids.paths.get(node.key);
    const isTop = !sources.has(node.key);
    const there = row === undefined ? undefined : (view.nodes.get(row.node) ?? { state: 'unreachable' });
    if (row === undefined || there === undefined || (row.removed === true && there.state === 'unreachable'))
      plan.creates.push(createOperation(task, node, { isTop, bucket, path }));
    else if (row.removed === true && there.state === 'trash') plan.restores.push(restoreOperation(row, node));
    else planTask(plan, row, node, there);
  }
  planLinks(plan);
  planGoneTasks(plan);
  const { unlinks, trashes, input: _, files: __, ...planned } = plan;
  return { ...planned, ...linksInOrder(plan), removals: [...unlinks, ...targetsFirst(trashes, view)] };
}

function restoreOperation({ id: task, node }: ImportTask, inFile: TransferNode): RestoreOperation {
  return { type: 'restore', name: `restore ${task}`, kind: 'restored', place: placeOf(inFile), task, node };
}

/** A task that becomes independent must get the links to it before (LNK3). */
function linksInOrder({ links, lateStatuses, files }: PlanBuilder): Pick<UpdatePlan, 'links' | 'lateLinks'> {
  const completedLast = new Set(lateStatuses.flatMap(({ task, file }) => (file.status === 3 ? [task] : [])));
  const isLate = ({ row }: LinkOperation | RelinkOperation) =>
    completedLast.has(row.source) && files.get(row.target)?.independent !== true;
  return { links: links.filter((each) => !isLate(each)), lateLinks: links.filter(isLate) };
}

/** The keys of tasks that will have a link to another task of the file. */
function keysWithTargets({ input: { graph, ids, rows, view } }: PlanBuilder): Set<string> {
  const isReachable = (key: string) => {
    const id = ids.byKey.get(key);
    const row = id === undefined ? undefined : rows.tasks.get(id);
    // A node that an update removed is restored or made again.
    const isThere = row === undefined || row.removed === true || view.nodes.get(row.node)?.state === 'active';
    return id !== undefined && isThere;
  };
  return new Set(graph.links.flatMap(({ source, target }) => (isReachable(target) ? [source] : [])));
}

/** The tasks of a bucket, and the bytes of their calls and rows: one call stores all rows of a bucket. */
const BUCKET_TASKS = 200;
const BUCKET_BYTES = 150 * 1024;

/** Numbers tasks in their order, so that the tasks of a bucket fit into one call and their rows into one. */
function createBuckets(): (task: string, node: TransferNode) => number {
  const encoder = new TextEncoder();
  let [bucket, tasks, bytes] = [0, 0, 0];
  return (task, node) => {
    const size = encoder.encode(JSON.stringify([task, node])).length + IMPORT_BASE_LENGTH;
    if (tasks > 0 && (tasks === BUCKET_TASKS || bytes + size > BUCKET_BYTES))
      [bucket, tasks, bytes] = [bucket + 1, 0, 0];
    tasks++;
    bytes += size;
    return bucket;
  };
}

/** Characters of the base of a row. */
const IMPORT_BASE_LENGTH = 300;

function createOperation(
  task: string,
  node: TransferNode,
  more: Pick<CreateOperation, 'isTop' | 'bucket' | 'path'>,
): CreateOperation {
  // A node becomes independent after its links are there: nothing can be made to block an independent
  // one (LNK3). Blocked follows from the links.
  const values = Object.fromEntries(
    fieldsToCreate(node).map((name): [FieldName, unknown] => [name, node[name]]),
  ) as FieldValues;
  return {
    type: 'create',
    name: `create ${task}`,
    kind: 'created',
    place: placeOf(node),
    task,
    values,
    base: baseOf(values),
    ...more,
  };
}

/** An independent task becomes Completed last: its blockers would undo it before (BLK3). */
function fieldsToCreate(node: TransferNode): FieldName[] {
  const later = node.independent ? ['independent', 'status'] : [];
  return changedSince('', node).filter((name) => !later.includes(name));
}

function planTask(plan: PlanBuilder, row: ImportTask, node: TransferNode, view: NodeView): void {
  const { input, notes } = plan;
  const place = placeOf(node);
  if (view.state !== 'active') {
    notes.note(view.state === 'trash' ? 'in_trash' : 'unreachable', place);
    return;
  }
  const path = input.ids.paths.get(node.key);
  if (path !== undefined && path !== row.path) plan.moved.set(row.id, path);
  const unstated = new Set(input.graph.hints?.get(node.key)?.unstated);
  const changedByFile = changedSince(row.base, node).filter(
    (name) => !unstated.has(name) && (name !== 'status' || node.status !== 2),
  );
  const changedByPerson = new Set(changedSince(row.base, view.values));
  const [adopted, written]: [FieldName[], FieldName[]] = [[], []];
  let isStatusWritten = false;
  for (const name of changedByFile) {
    const isBlocked = name === 'status' && view.values.status === 2;
    if (!isBlocked && isSameValue(name, node, view.values)) adopted.push(name);
    // The status behind Blocked shows only once the task is no longer blocked.
    else if (!isBlocked && changedByPerson.has(name) && input.overwrite !== true)
      notes.note('conflict', `${place}: ${name}`);
    else if (name === 'status') isStatusWritten = true;
    else written.push(name);
  }
  if (adopted.length > 0) plan.adopted.push({ task: row.id, fields: adopted, file: node });
  const shared = { type: 'update', kind: 'changed', task: row.id, node: row.node, file: node } as const;
  if (written.length > 0)
    plan.updates.push({
      ...shared,
      name: `update ${row.id}`,
      place: `${place}: ${written.join(', ')}`,
      fields: written,
    });
  const isLate = written.includes('independent');
  if (isStatusWritten)
    (isLate ? plan.lateStatuses : plan.statuses).push({
      ...shared,
      name: `status ${row.id}`,
      place: `${place}: status`,
      fields: ['status'],
    });
}

/** The fields of an operation that overwrite a value of a person. */
export function overwrittenFields(
  { task, fields, isRestored }: FieldOperation,
  { rows, view }: Pick<UpdateInput, 'rows' | 'view'>,
): FieldName[] {
  const row = rows.tasks.get(task);
  const node = row === undefined ? undefined : view.nodes.get(row.node);
  if (row === undefined || node?.state !== 'active') return [];
  const changedByPerson = new Set(changedSince(row.base, node.values));
  const isService = isRestored === true || node.values.status === 2;
  return fields.filter((name) => changedByPerson.has(name) && !(name === 'status' && isService));
}

function planLinks(plan: PlanBuilder): void {
  const { input, files } = plan;
  const { graph, ids, rows } = input;
  const inFile = new Set<string>();
  for (const link of graph.links) {
    const [source, target] = [ids.byKey.get(link.source), ids.byKey.get(link.target)];
    if (source === undefined || target === undefined) continue;
    inFile.add(pairOf(source, target));
    planLink(plan, { source, target, base: linkBase(link) });
  }
  for (const [pair, row] of rows.links) {
    // The links of a task that is gone or not matched stay with it.
    if (inFile.has(pair) || !files.has(row.source) || !files.has(row.target)) continue;
    planGoneLink(plan, row);
  }
}

function planLink(plan: PlanBuilder, link: ImportLink): void {
  const { input, notes } = plan;
  const { rows, view, overwrite } = input;
  const place = linkPlace(plan, link);
  const [sourceId, targetId] = [nodeOf(plan, link.source), nodeOf(plan, link.target)];
  // Reported with its task.
  if (sourceId === null || targetId === null) return;
  const there = sourceId === '' || targetId === '' ? undefined : view.links.get(pairOf(sourceId, targetId));
  const row = rows.links.get(pairOf(link.source, link.target));
  if (row?.base === link.base) {
    if (there === undefined) notes.note('removed_link', place);
  } else if (there !== undefined && linkBase(there) === link.base) {
    plan.adoptedLinks.push({ kind: 'link', row: link });
  } else if (row === undefined && there === undefined) {
    plan.links.push({
      type: 'link',
      name: `link ${pairOf(link.source, link.target)}`,
      kind: 'linked',
      place,
      row: link,
    });
  } else if (there === undefined) {
    notes.note('removed_link', place);
  } else if (row !== undefined && linkBase(there) === row.base) {
    plan.links.push({
      type: 'relink',
      name: `relink ${there.id}`,
      kind: 'link_changed',
      place,
      id: there.id,
      row: link,
    });
  } else if (overwrite === true) {
    plan.links.push({
      type: 'relink',
      name: `relink ${there.id}`,
      kind: 'overwritten',
      place,
      id: there.id,
      row: link,
    });
  } else notes.note('conflict', place);
}

/** The node of a task: '' for one that is created, null for one that is not active. */
function nodeOf({ input: { rows, view } }: PlanBuilder, task: string): string | null {
  const row = rows.tasks.get(task);
  if (row === undefined) return '';
  return view.nodes.get(row.node)?.state === 'active' ? row.node : null;
}

function linkPlace({ files }: PlanBuilder, { source, target }: Pick<ImportLink, 'source' | 'target'>): string {
  const nameOf = (task: string) => placeOf(files.get(task) ?? { title: task, line: null });
  return `${nameOf(source)} → ${nameOf(target)}`;
}

function planGoneLink(plan: PlanBuilder, row: ImportLink): void {
  const { input, notes } = plan;
  const [source, target] = [nodeOf(plan, row.source), nodeOf(plan, row.target)];
  if (!source || !target) return;
  const there = input.view.links.get(pairOf(source, target));
  // A person has removed it too.
  if (there === undefined) {
    plan.adoptedLinks.push({ kind: 'droppedLink', row: { source: row.source, target: row.target } });
    return;
  }
  const place = linkPlace(plan, row);
  const isChanged = linkBase(there) !== row.base;
  if (input.remove !== true) notes.note('gone_link', place);
  else if (isChanged && input.overwrite !== true) notes.note('conflict', place);
  else plan.unlinks.push({ type: 'unlink', name: `unlink ${there.id}`, kind: 'unlinked', place, id: there.id, row });
}

function planGoneTasks(plan: PlanBuilder): void {
  const { input, files, notes } = plan;
  const { rows, view, ids } = input;
  const gone = [...rows.tasks.values()].filter(({ id }) => !files.has(id) && !ids.ambiguous.has(id));
  if (gone.length === 0) return;
  const linked = nodesOfPersons(input);
  for (const row of gone) {
    const node = view.nodes.get(row.node);
    // A node in the trash, or that the caller does not see, is gone for them too.
    if (node?.state !== 'active') continue;
    const place = placeOf({ title: String(node.values.title), line: null });
    const values = changedSince(row.base, node.values).filter((name) => name !== 'status' || node.values.status !== 2);
    const changed: readonly string[] = [
      ...values,
      ...(linked.has(row.node) ? ['links'] : []),
      ...(view.shared.has(row.node) ? ['sharing'] : []),
    ];
    if (input.remove !== true) notes.note('gone_task', place);
    else if (changed.length > 0 && input.overwrite !== true) notes.note('conflict', `${place}: ${changed.join(', ')}`);
    else
      plan.trashes.push({
        type: 'trash',
        name: `trash ${row.id}`,
        kind: 'trashed',
        place,
        task: row.id,
        node: row.node,
      });
  }
}

/** The nodes with links that no file has: subtasks of persons, and dependencies that they added. */
function nodesOfPersons({ rows, view, under }: UpdateInput): Set<string> {
  const taskOf = new Map([...rows.tasks.values()].map(({ id, node }) => [node, id]));
  const own = [...view.links.values()].filter(({ source, target }) => {
    const ends = [taskOf.get(source) ?? '', taskOf.get(target) ?? ''] as const;
    return !rows.links.has(pairOf(...ends));
  });
  const outside = view.outside.filter(({ target }) => target !== under);
  return new Set([...own, ...outside].flatMap(({ source, target }) => [source, target]));
}

/** The nodes of tasks that are gone from the file, and that an update may move to the trash. */
export function removableNodes({ graph, ids, rows, view }: UpdateInput): string[] {
  const there = new Set(graph.nodes.flatMap(({ key }) => ids.byKey.get(key) ?? []));
  return [...rows.tasks.values()].flatMap(({ id, node }) =>
    !there.has(id) && !ids.ambiguous.has(id) && view.nodes.get(node)?.state === 'active' ? [node] : [],
  );
}

/** The rows that a file with hardly any of the earlier tasks must have to be refused. */
const FEW_ROWS = 10;

/**
 * How many of the source's tasks are in the file, if they are so few that it may be another file or a part
 * of one: fewer than half of more than ten, or none. A task with another title is not found: several files
 * number their tasks from 1. Null otherwise.
 */
export function mismatchOf({
  graph,
  ids,
  rows,
  view,
}: UpdateInput): { readonly found: number; readonly of: number } | null {
  const isSame = (node: TransferNode, { base, node: id }: ImportTask) => {
    const there = view.nodes.get(id);
    return (
      !changedSince(base, node).includes('title') || (there?.state === 'active' && there.values.title === node.title)
    );
  };
  const found = graph.nodes.filter((node) => {
    const row = rows.tasks.get(ids.byKey.get(node.key) ?? '');
    return row !== undefined && row.removed !== true && isSame(node, row);
  }).length;
  const of = [...rows.tasks.values()].filter(({ id, removed }) => removed !== true && !ids.ambiguous.has(id)).length;
  const isMismatch = of > FEW_ROWS ? found * 2 < of : of > 1 && found === 0;
  return isMismatch ? { found, of } : null;
}

/** From this number of removals on, a share of them needs the consent of the caller: one of five tasks. */
const MANY_REMOVALS = 5;
const REMOVED_SHARE = 5;

/** How many tasks a plan moves to the trash, if they are so many that the file may be a part; null otherwise. */
export function manyRemovals(
  { removals }: Pick<UpdatePlan, 'removals'>,
  { rows }: Pick<UpdateInput, 'rows'>,
): { readonly removed: number; readonly of: number } | null {
  const removed = removals.filter(({ type }) => type === 'trash').length;
  const of = [...rows.tasks.values()].filter((row) => row.removed !== true).length;
  return removed >= MANY_REMOVALS && removed * REMOVED_SHARE > of ? { removed, of } : null;
}

/** Each node before those that block it: then moving one to the trash changes no status of a later one. */
function targetsFirst(trashes: readonly TrashOperation[], { links }: GraphView): TrashOperation[] {
  const byNode = new Map(trashes.map((each) => [each.node, each]));
  const targets = new Map<string, string[]>();
  for (const { source, target, type } of links.values())
    if (type === 0 && byNode.has(source) && byNode.has(target)) push(targets, source, target);
  const [ordered, seen] = [new Set<string>(), new Set<string>()];
  for (const { node } of trashes) {
    const path = [node];
    while (path.length > 0) {
      const top = path.at(-1) as string;
      const next = ordered.has(top) ? undefined : (targets.get(top) ?? []).find((each) => !seen.has(each));
      seen.add(top);
      if (next !== undefined) path.push(next);
      else {
        ordered.add(top);
        path.pop();
      }
    }
  }
  return [...ordered].flatMap((node) => byNode.get(node) ?? []);
}
