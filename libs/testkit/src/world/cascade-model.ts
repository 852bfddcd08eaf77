// A plain statement of BLK, LNK4 and LNK5 for one owner's graph, recomputed by brute force after each command. It shares no code
// with the service: what it expects is written from the rules. It is long because model, requests and comparison belong together.
import fc from 'fast-check';

/** A random command; indexes point into the nodes and links made so far, modulo their number. */
export type CascadeStep =
  | { readonly kind: 'add'; readonly parent: number | null; readonly status: 0 | 1 | 3; readonly independent: boolean }
  | { readonly kind: 'status'; readonly node: number; readonly status: 0 | 1 | 3 }
  | { readonly kind: 'independent'; readonly node: number; readonly value: boolean }
  | { readonly kind: 'link'; readonly source: number; readonly target: number; readonly type: 0 | 1 }
  | { readonly kind: 'trash'; readonly link: number }
  | { readonly kind: 'swap'; readonly link: number }
  | { readonly kind: 'restoreLink'; readonly link: number }
  | { readonly kind: 'updateLink'; readonly link: number; readonly type: 0 | 1 }
  | { readonly kind: 'deleteLink'; readonly link: number }
  | { readonly kind: 'trashNode'; readonly node: number }
  | { readonly kind: 'restoreNode'; readonly node: number }
  | { readonly kind: 'deleteNode'; readonly node: number };

const index = fc.nat(30);
const status = fc.constantFrom(0 as const, 1 as const, 3 as const);
const linkStep = <K extends string>(weight: number, kind: K) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), link: index }),
});
const nodeStep = <K extends string>(weight: number, kind: K) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), node: index }),
});

/** Steps that favour what hurts: links, swaps and completions on few nodes. */
export const cascadeSteps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('add' as const),
        parent: fc.option(index),
        status,
        independent: fc.boolean(),
      }),
    },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('status' as const), node: index, status }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('independent' as const), node: index, value: fc.boolean() }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('link' as const),
        source: index,
        target: index,
        type: fc.constantFrom(0 as const, 0 as const, 1 as const),
      }),
    },
    linkStep(2, 'trash' as const),
    linkStep(3, 'swap' as const),
    linkStep(2, 'restoreLink' as const),
    linkStep(1, 'deleteLink' as const),
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('updateLink' as const),
        link: index,
        type: fc.constantFrom(0 as const, 1 as const),
      }),
    },
    nodeStep(3, 'trashNode' as const),
    nodeStep(3, 'restoreNode' as const),
    nodeStep(1, 'deleteNode' as const),
  ),
  { minLength: 5, maxLength: 40 },
);

interface ModelNode {
  status: number;
  before: number;
  independent: boolean;
  trashed: boolean;
  deleted: boolean;
}

interface ModelLink {
  source: number;
  target: number;
  type: number;
  trashed: boolean;
  /** Trashed with a node, and to come back with it (TRS3). */
  marked: boolean;
  deleted: boolean;
  wasBlocker: boolean;
  edited: number;
}

export interface CascadeModel {
  readonly nodes: readonly ModelNode[];
  readonly links: readonly ModelLink[];
  /** Does the step and returns null, or the code of the refusal; null also where it changes nothing. `skipped`: see TRS3. */
  step(step: CascadeStep): { refusal: string | null; skipped: number[] };
  /** Whether the step can be asked at all: there must be something to point at. */
  applies(step: CascadeStep): boolean;
}

function createCascadeModel(): CascadeModel {
  const nodes: ModelNode[] = [];
  const links: ModelLink[] = [];
  const at = <T>(list: readonly T[], position: number): T => list[position % list.length] as T;
  const active = () => links.filter(({ trashed, deleted }) => !trashed && !deleted);
  const blocking = (link: ModelLink) =>
    !link.trashed && link.type === 0 && nodes[link.source]?.status !== 3 && !nodes[link.target]?.independent;

  // Stands for lastEditedTime, which decides which of several trashed links comes back (LNK6).
  let clock = 0;
  const newest = (found: ModelLink[]) => [...found].sort((one, other) => other.edited - one.edited).at(0);

  const recomputeStatuses = () => {
    for (let changed = true; changed; ) {
      changed = false;
      for (const [position, node] of nodes.entries()) {
        if (node.trashed) continue;
        const blocked = links.some((link) => link.target === position && blocking(link));
        if (blocked === (node.status === 2)) continue;
        if (blocked) node.before = node.status;
        node.status = blocked ? 2 : node.before === 0 ? 0 : 1;
        changed = true;
      }
    }
    for (const link of links) if (blocking(link)) link.wasBlocker = true;
  };
  const reaches = (from: number, to: number, without: ModelLink | null): boolean => {
    const seen = new Set([from]);
    for (const node of seen) {
      for (const link of active()) {
        if (link !== without && link.type === 0 && link.source === node) seen.add(link.target);
      }
    }
    return seen.has(to);
  };
  const duplicate = (source: number, target: number, except: ModelLink | null): string | null => {
    const others = active().filter((link) => link !== except);
    if (others.some((link) => link.source === source && link.target === target)) return 'conflict.duplicate_link';
    const reversed = others.some((link) => link.source === target && link.target === source);
    return reversed ? 'conflict.duplicate_reversed_link' : null;
  };

  const gone = (...ends: number[]) => ends.some((end) => nodes[end]?.deleted);
  const trashed = (...ends: number[]) => ends.some((end) => nodes[end]?.trashed);

  const link = (source: number, target: number, wanted: number): string | null => {
    if (source === target) return 'bad_request.self_link';
    if (gone(source, target)) return 'not_found';
    if (trashed(source, target)) return 'conflict.in_trash';
    const type = nodes[target]?.independent ? 1 : wanted;
    const refusal =
      duplicate(source, target, null) ?? (type === 0 && reaches(target, source, null) ? 'conflict.cycle' : null);
    if (refusal !== null) return refusal;
    const back =
      newest(links.filter((one) => one.trashed && !one.deleted && one.source === source && one.target === target)) ??
      newest(links.filter((one) => one.trashed && !one.deleted && one.source === target && one.target === source));
    if (back === undefined) {
      links.push({
        source,
        target,
        type,
        trashed: false,
        marked: false,
        deleted: false,
        wasBlocker: false,
        edited: ++clock,
      });
      return null;
    }
    const wasBlocker = type === 0 && back.wasBlocker;
    Object.assign(back, { source, target, type, trashed: false, marked: false, wasBlocker, edited: ++clock });
    return null;
  };

  const restoreLink = (one: ModelLink): string | null => {
    if (one.deleted) return 'not_found';
    if (!one.trashed) return 'not_trashed_link';
    if (trashed(one.source, one.target)) return 'conflict.in_trash';
    const type = nodes[one.target]?.independent ? 1 : one.type;
    const cycle = type === 0 && reaches(one.target, one.source, null);
    const refusal = duplicate(one.source, one.target, one) ?? (cycle ? 'conflict.cycle' : null);
    if (refusal !== null) return refusal;
    const wasBlocker = type === 0 && one.wasBlocker;
    Object.assign(one, { type, trashed: false, marked: false, wasBlocker, edited: ++clock });
    return null;
  };

  const updateLink = (one: ModelLink, wanted: 0 | 1): string | null => {
    if (one.deleted) return 'not_found';
    if (one.trashed) return 'conflict.in_trash';
    const type = nodes[one.target]?.independent ? 1 : wanted;
    if (type === one.type) return null;
    if (type === 0 && reaches(one.target, one.source, one)) return 'conflict.cycle';
    Object.assign(one, { type, wasBlocker: type === 0 && one.wasBlocker, edited: ++clock });
    return null;
  };

  const trashNode = (position: number): string | null => {
    const node = nodes[position] as ModelNode;
    if (node.deleted) return 'not_found';
    if (node.trashed) return 'conflict.already_trashed';
    node.trashed = true;
    for (const one of active()) {
      if (one.source === position || one.target === position)
        Object.assign(one, { trashed: true, marked: true, edited: ++clock });
    }
    return null;
  };

  const restoreNode = (position: number, skipped: number[]): string | null => {
    const node = nodes[position] as ModelNode;
    if (node.deleted) return 'not_found';
    if (!node.trashed) return 'not_trashed_node';
    node.trashed = false;
    for (const [at, one] of links.entries()) {
      if (one.deleted || !one.marked || (one.source !== position && one.target !== position)) continue;
      if (trashed(one.source, one.target)) continue;
      const cycle = one.type === 0 && reaches(one.target, one.source, null);
      one.marked = false;
      if (cycle || duplicate(one.source, one.target, one) !== null) skipped.push(at);
      else Object.assign(one, { trashed: false, edited: ++clock });
    }
    return null;
  };

  const swap = (one: ModelLink): string | null => {
    if (one.deleted) return 'not_found';
    if (one.trashed) return 'conflict.in_trash';
    const type = nodes[one.source]?.independent ? 1 : one.type;
    const cycle = type === 0 && reaches(one.source, one.target, one);
    const refusal = duplicate(one.target, one.source, one) ?? (cycle ? 'conflict.cycle' : null);
    if (refusal !== null) return refusal;
    Object.assign(one, { source: one.target, target: one.source, type, wasBlocker: type === 0 && one.wasBlocker });
    one.edited = ++clock;
    return null;
  };

  const perform = (step: CascadeStep, skipped: number[]): string | null => {
    switch (step.kind) {
      case 'add': {
        const parent = step.parent === null || nodes.length === 0 ? null : step.parent % nodes.length;
        if (parent !== null && gone(parent)) return 'not_found';
        if (parent !== null && trashed(parent)) return 'conflict.target_in_trash';
        nodes.push({ status: step.status, before: 0, independent: step.independent, trashed: false, deleted: false });
        if (parent === null) return null;
        const type = nodes[parent]?.independent ? 1 : 0;
        const made = { trashed: false, marked: false, deleted: false, wasBlocker: false, edited: ++clock };
        links.push({ source: nodes.length - 1, target: parent, type, ...made });
        return null;
      }
      case 'status': {
        const node = at(nodes, step.node);
        if (node.deleted) return 'not_found';
        if (node.trashed) return 'conflict.in_trash';
        if (node.status === 2) return 'conflict.node_blocked';
        node.status = step.status;
        return null;
      }
      case 'independent': {
        const node = at(nodes, step.node);
        if (node.deleted) return 'not_found';
        if (node.trashed) return 'conflict.in_trash';
        node.independent = step.value;
        return null;
      }
      case 'link':
        return link(step.source % nodes.length, step.target % nodes.length, step.type);
      case 'trash': {
        const one = at(links, step.link);
        if (one.deleted) return 'not_found';
        if (one.trashed && !one.marked) return 'conflict.already_trashed';
        if (!one.trashed) one.edited = ++clock;
        Object.assign(one, { trashed: true, marked: false });
        return null;
      }
      case 'swap':
        return swap(at(links, step.link));
      case 'restoreLink':
        return restoreLink(at(links, step.link));
      case 'updateLink':
        return updateLink(at(links, step.link), step.type);
      case 'deleteLink': {
        const one = at(links, step.link);
        if (one.deleted) return 'not_found';
        if (!one.trashed) return 'not_trashed_link';
        one.deleted = true;
        return null;
      }
      case 'trashNode':
        return trashNode(step.node % nodes.length);
      case 'restoreNode':
        return restoreNode(step.node % nodes.length, skipped);
      case 'deleteNode': {
        const node = at(nodes, step.node);
        if (node.deleted) return 'not_found';
        if (!node.trashed) return 'not_trashed_node';
        node.deleted = true;
        for (const one of links) if (gone(one.source, one.target)) one.deleted = true;
        return null;
      }
    }
  };

  return {
    nodes,
    links,
    applies(step) {
      if ('link' in step) return links.length > 0;
      return step.kind === 'add' || nodes.length > 0;
    },
    step(step) {
      const skipped: number[] = [];
      const refusal = perform(step, skipped);
      if (refusal === null) recomputeStatuses();
      return { refusal, skipped };
    },
  };
}

/** What carries out commands: the pure domain, or the service over a real database. */
export interface CascadeSubject {
  /** Does it and returns the diff, or the code of the refusal. */
  call(event: string, payload: Record<string, unknown>): Promise<CascadeAnswer>;
  /** Looks at the present state, which `node` and `link` then tell. */
  refresh(): Promise<void>;
  /** The state at the last look, or undefined of what was deleted. */
  node(id: string): Promise<object | undefined>;
  link(id: string): Promise<object | undefined>;
}

export type CascadeAnswer = { error: string } | { error: null; diff: CascadeDiff };

interface Entry {
  op: number;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}
interface CascadeDiff {
  nodes: Entry[];
  links: Entry[];
  skipped?: string[] | undefined;
}

/** Runs the steps on model and subject; throws where they differ. */
export async function compareCascades(steps: readonly CascadeStep[], subject: CascadeSubject): Promise<void> {
  const model = createCascadeModel();
  const nodeIds: string[] = [];
  const linkIds: string[] = [];
  const known = new Map<string, Record<string, unknown>>();
  for (const step of steps) {
    if (!model.applies(step)) continue;
    const [event, payload] = request(step, nodeIds, linkIds);
    const { refusal, skipped } = model.step(step);
    const answer = await subject.call(event, payload);
    if (answer.error !== refusal) throw new Error(`${JSON.stringify(step)}: expected ${refusal}, got ${answer.error}`);
    if (answer.error !== null) continue;
    const left = JSON.stringify(answer.diff.skipped ?? []);
    const expectedLeft = JSON.stringify(skipped.map((position) => linkIds[position]));
    if (left !== expectedLeft)
      throw new Error(`${JSON.stringify(step)}: expected ${expectedLeft} skipped, got ${left}`);
    for (const { op, after } of answer.diff.nodes) if (op === 0) nodeIds.push(after.id as string);
    for (const { op, after } of answer.diff.links) if (op === 10) linkIds.push(after.id as string);
    mergeAll(known, answer.diff);
    await subject.refresh();
    await compareState(model, nodeIds, linkIds, subject, known);
  }
}

/**
 * Makes the given nodes and links one after the other, then sends all steps at once, so that they share groups, and compares every
 * answer and the end. The commands are of one user and one slot, which keeps their order.
 */
export async function compareTogether(
  setup: readonly CascadeStep[],
  steps: readonly CascadeStep[],
  subject: CascadeSubject,
): Promise<void> {
  const model = createCascadeModel();
  const nodeIds: string[] = [];
  const linkIds: string[] = [];
  const known = new Map<string, Record<string, unknown>>();
  const take = (step: CascadeStep, expected: string | null, answer: CascadeAnswer) => {
    if (answer.error !== expected)
      throw new Error(`${JSON.stringify(step)}: expected ${expected}, got ${answer.error}`);
    if (answer.error !== null) return;
    for (const { op, after } of answer.diff.nodes) if (op === 0) nodeIds.push(after.id as string);
    for (const { op, after } of answer.diff.links) if (op === 10) linkIds.push(after.id as string);
    mergeAll(known, answer.diff);
  };
  for (const step of setup.filter((one) => model.applies(one))) {
    const [event, payload] = request(step, nodeIds, linkIds);
    take(step, model.step(step).refusal, await subject.call(event, payload));
  }
  // A step can only name what has an id when all are sent.
  const [nodes, links] = [nodeIds.length, linkIds.length];
  const sent = steps
    .filter((step) => step.kind !== 'add' && (!('link' in step) || links > 0) && nodes > 0)
    .map((step) => within(step, nodes, links))
    .map((step) => {
      const [event, payload] = request(step, nodeIds, linkIds);
      return { step, expected: model.step(step).refusal, answer: subject.call(event, payload) };
    });
  for (const { step, expected, answer } of sent) take(step, expected, await answer);
  await subject.refresh();
  await compareState(model, nodeIds, linkIds, subject, known);
}

/** The same step with its positions among what was there at first: later ones must mean the same to model and request. */
function within(step: CascadeStep, nodes: number, links: number): CascadeStep {
  if ('link' in step) return { ...step, link: step.link % links };
  if ('node' in step) return { ...step, node: step.node % nodes };
  return step.kind === 'link' ? { ...step, source: step.source % nodes, target: step.target % nodes } : step;
}

function request(step: CascadeStep, nodeIds: string[], linkIds: string[]): [string, Record<string, unknown>] {
  const node = (position: number) => nodeIds[position % nodeIds.length];
  const link = (position: number) => linkIds[position % linkIds.length];
  switch (step.kind) {
    case 'add': {
      const target = step.parent === null || nodeIds.length === 0 ? {} : { target: node(step.parent) };
      return ['node:add', { ...target, status: step.status, independent: step.independent }];
    }
    case 'status':
      return ['node:update', { id: node(step.node), status: step.status }];
    case 'independent':
      return ['node:update', { id: node(step.node), independent: step.value }];
    case 'link':
      return ['link:add', { source: node(step.source), target: node(step.target), type: step.type }];
    case 'trash':
      return ['link:trash', { id: link(step.link) }];
    case 'swap':
      return ['link:swap', { id: link(step.link) }];
    case 'restoreLink':
      return ['link:restore', { id: link(step.link) }];
    case 'updateLink':
      return ['link:update', { id: link(step.link), type: step.type }];
    case 'deleteLink':
      return ['link:delete', { id: link(step.link) }];
    case 'trashNode':
      return ['node:trash', { id: node(step.node) }];
    case 'restoreNode':
      return ['node:restore', { id: node(step.node) }];
    case 'deleteNode':
      return ['node:delete', { id: node(step.node) }];
  }
}

/** A reader who merges nothing but diffs, each exactly onto the version before. */
function mergeAll(known: Map<string, Record<string, unknown>>, diff: CascadeDiff): void {
  const stepped = new Set<string>();
  for (const { op, before, after } of [...diff.nodes, ...diff.links]) {
    const id = after.id as string;
    const held = known.get(id);
    if (held !== undefined && held.version !== before.version) throw new Error(`a patch on ${id} skips a version`);
    if (op === 2 && stepped.has(`status ${id}`)) throw new Error(`two NODE_STATUS entries for ${id}`);
    if (op === 2) stepped.add(`status ${id}`);
    if (after.deleted === true) known.delete(id);
    else known.set(id, { ...held, ...after });
  }
}

async function compareState(
  model: CascadeModel,
  nodeIds: string[],
  linkIds: string[],
  subject: CascadeSubject,
  known: ReadonlyMap<string, Record<string, unknown>>,
): Promise<void> {
  for (const [position, expected] of model.nodes.entries()) {
    const id = nodeIds[position] as string;
    const actual = await subject.node(id);
    if (expected.deleted) {
      expectGone(`node ${position}`, actual, known.get(id));
      continue;
    }
    const open = model.links.filter(
      (link) =>
        link.target === position &&
        !link.trashed &&
        !link.deleted &&
        link.type === 0 &&
        model.nodes[link.source]?.status !== 3,
    ).length;
    const wanted = { ...expected, inTrash: expected.trashed, openBlockers: open };
    expectSame(`node ${position}`, actual, wanted, ['status', 'independent', 'inTrash', 'openBlockers']);
    expectSame(`node ${position} as merged`, known.get(id), actual ?? {}, [
      'status',
      'independent',
      'inTrash',
      'version',
    ]);
  }
  for (const [position, expected] of model.links.entries()) {
    const id = linkIds[position] as string;
    const actual = await subject.link(id);
    if (expected.deleted) {
      expectGone(`link ${position}`, actual, known.get(id));
      continue;
    }
    const ends = { source: nodeIds[expected.source], target: nodeIds[expected.target] };
    const wanted = { ...expected, ...ends, inTrash: expected.trashed, trashedWithNode: expected.marked };
    const fields = ['source', 'target', 'type', 'inTrash', 'wasBlocker'];
    expectSame(`link ${position}`, actual, wanted, [...fields, 'trashedWithNode']);
    expectSame(`link ${position} as merged`, known.get(id), actual ?? {}, fields);
  }
}

function expectGone(what: string, actual: object | undefined, known: object | undefined): void {
  if (actual !== undefined || known !== undefined) throw new Error(`${what} was deleted and is still there`);
}

function expectSame(what: string, actual: object | undefined, expected: object, fields: readonly string[]): void {
  for (const field of fields) {
    const [got, wanted] = [actual ?? {}, expected].map((state) => (state as Record<string, unknown>)[field]);
    if (got !== wanted) throw new Error(`${what}: ${field} is ${String(got)}, expected ${String(wanted)}`);
  }
}
