// Compares a file with the rows of its source and the graph: a three-way merge for each value. Pure.
// Rule: IO12.
import type { ImportLink, ImportTask } from '@taskgraph/wire/public-types';
import { placeOf, push, type TransferGraph, type TransferNode } from '../graph/transfer-graph.ts';
import { baseOf, changedSince, type FieldName, type FieldValues, isSameValue } from '../import/field-hashes.ts';
import { linkBase, type RowChange } from '../import/row-recorder.ts';
import type { SourceIds } from '../import/source-ids.ts';
import { type GraphView, type NodeView, pairOf, type StoredRows } from './stored-state.ts';
import type {
  CreateOperation,
  FieldOperation,
  LinkOperation,
  RelinkOperation,
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
  readonly rows: StoredRows;
  readonly view: GraphView;
}

export interface UpdatePlan {
  readonly creates: readonly CreateOperation[];
  /** Links to add and to change, then those to remove, and nodes to move to the trash. */
  readonly links: readonly (LinkOperation | RelinkOperation)[];
  readonly removals: readonly (UnlinkOperation | TrashOperation)[];
  /** Fields other than the status. */
  readonly updates: readonly FieldOperation[];
  readonly statuses: readonly FieldOperation[];
  /** Fields of tasks that already have the values of the file, by the ids of the tasks. */
  readonly adopted: readonly {
    readonly task: string;
    readonly fields: readonly FieldName[];
    readonly file: TransferNode;
  }[];
  readonly adoptedLinks: readonly RowChange[];
  /** Everything that stays as it is although the file says something else. */
  readonly notes: UpdateLog;
}

interface OpenPlan {
  readonly input: UpdateInput;
  readonly creates: CreateOperation[];
  readonly links: (LinkOperation | RelinkOperation)[];
  readonly unlinks: UnlinkOperation[];
  readonly trashes: TrashOperation[];
  readonly updates: FieldOperation[];
  readonly statuses: FieldOperation[];
  readonly adopted: { task: string; fields: FieldName[]; file: TransferNode }[];
  readonly adoptedLinks: RowChange[];
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
  const plan: OpenPlan = {
    input,
    files,
    creates: [],
    links: [],
    unlinks: [],
    trashes: [],
    updates: [],
    statuses: [],
    adopted: [],
    adoptedLinks: [],
    notes: createUpdateLog(),
  };
  for (const node of ids.unmatched) plan.notes.note('ambiguous', placeOf(node));
  const sources = new Set(graph.links.map(({ source }) => source));
  for (const [task, node] of files) {
    const row = rows.tasks.get(task);
    if (row === undefined) plan.creates.push(createOperation(task, node, !sources.has(node.key)));
    else planTask(plan, row, node, view.nodes.get(row.node) ?? { state: 'unreachable' });
  }
  planLinks(plan);
  planGoneTasks(plan);
  const { creates, links, unlinks, trashes, updates, statuses, adopted, adoptedLinks, notes } = plan;
  const removals = [...unlinks, ...targetsFirst(trashes, view)];
  return { creates, links, removals, updates, statuses, adopted, adoptedLinks, notes };
}

function createOperation(task: string, node: TransferNode, isTop: boolean): CreateOperation {
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
    isTop,
  };
}

function fieldsToCreate(node: TransferNode): FieldName[] {
  return changedSince('', node).filter((name) => name !== 'independent');
}

function planTask(plan: OpenPlan, row: ImportTask, node: TransferNode, view: NodeView): void {
  const { input, notes } = plan;
  const place = placeOf(node);
  if (view.state !== 'active') {
    notes.note(view.state === 'trash' ? 'in_trash' : 'unreachable', place);
    return;
  }
  const changedByFile = changedSince(row.base, node).filter((name) => name !== 'status' || node.status !== 2);
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
  if (isStatusWritten)
    plan.statuses.push({ ...shared, name: `status ${row.id}`, place: `${place}: status`, fields: ['status'] });
}

/** The fields of an operation that overwrite a value of a person. */
export function overwrittenFields({ task, fields }: FieldOperation, { rows, view }: UpdateInput): FieldName[] {
  const row = rows.tasks.get(task);
  const node = row === undefined ? undefined : view.nodes.get(row.node);
  if (row === undefined || node?.state !== 'active') return [];
  const changedByPerson = new Set(changedSince(row.base, node.values));
  return fields.filter((name) => changedByPerson.has(name) && !(name === 'status' && node.values.status === 2));
}

function planLinks(plan: OpenPlan): void {
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

function planLink(plan: OpenPlan, link: ImportLink): void {
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
    plan.links.push({ type: 'link', name: `link ${place} ${link.source}`, kind: 'linked', place, row: link });
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
function nodeOf({ input: { rows, view } }: OpenPlan, task: string): string | null {
  const row = rows.tasks.get(task);
  if (row === undefined) return '';
  return view.nodes.get(row.node)?.state === 'active' ? row.node : null;
}

function linkPlace({ files }: OpenPlan, { source, target }: Pick<ImportLink, 'source' | 'target'>): string {
  const nameOf = (task: string) => placeOf(files.get(task) ?? { title: task, line: null });
  return `${nameOf(source)} → ${nameOf(target)}`;
}

function planGoneLink(plan: OpenPlan, row: ImportLink): void {
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

function planGoneTasks(plan: OpenPlan): void {
  const { input, files, notes } = plan;
  const { rows, view, ids } = input;
  const gone = [...rows.tasks.values()].filter(({ id }) => !files.has(id) && !ids.ambiguous.has(id));
  if (gone.length === 0) return;
  const linksOf = new Map<string, ImportLink[]>();
  for (const link of rows.links.values()) {
    push(linksOf, link.source, link);
    push(linksOf, link.target, link);
  }
  for (const row of gone) {
    const node = view.nodes.get(row.node);
    // A node in the trash, or that the caller does not see, is gone for them too.
    if (node?.state !== 'active') continue;
    const place = placeOf({ title: String(node.values.title), line: null });
    const changed = changedSince(row.base, node.values).filter((name) => name !== 'status' || node.values.status !== 2);
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
        links: linksOf.get(row.id) ?? [],
      });
  }
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
