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
  | { readonly kind: 'swap'; readonly link: number };

const index = fc.nat(30);
const status = fc.constantFrom(0 as const, 1 as const, 3 as const);

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
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('trash' as const), link: index }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('swap' as const), link: index }) },
  ),
  { minLength: 5, maxLength: 40 },
);

interface ModelNode {
  status: number;
  before: number;
  independent: boolean;
}

interface ModelLink {
  source: number;
  target: number;
  type: number;
  trashed: boolean;
  wasBlocker: boolean;
}

export interface CascadeModel {
  readonly nodes: readonly ModelNode[];
  readonly links: readonly ModelLink[];
  /** Does the step and returns null, or the code of the refusal; null also where it changes nothing. */
  step(step: CascadeStep): string | null;
  /** Whether the step can be asked at all: there must be something to point at. */
  applies(step: CascadeStep): boolean;
}

function createCascadeModel(): CascadeModel {
  const nodes: ModelNode[] = [];
  const links: ModelLink[] = [];
  const at = <T>(list: readonly T[], position: number): T => list[position % list.length] as T;
  const active = () => links.filter(({ trashed }) => !trashed);
  const blocking = (link: ModelLink) =>
    !link.trashed && link.type === 0 && nodes[link.source]?.status !== 3 && !nodes[link.target]?.independent;

  const settle = () => {
    for (let changed = true; changed; ) {
      changed = false;
      for (const [position, node] of nodes.entries()) {
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

  const link = (source: number, target: number, wanted: number): string | null => {
    if (source === target) return 'bad_request.self_link';
    const type = nodes[target]?.independent ? 1 : wanted;
    const refusal =
      duplicate(source, target, null) ?? (type === 0 && reaches(target, source, null) ? 'conflict.cycle' : null);
    if (refusal !== null) return refusal;
    const back =
      links.filter((one) => one.trashed && one.source === source && one.target === target).at(0) ??
      links.filter((one) => one.trashed && one.source === target && one.target === source).at(0);
    if (back === undefined) links.push({ source, target, type, trashed: false, wasBlocker: false });
    else Object.assign(back, { source, target, type, trashed: false, wasBlocker: type === 0 && back.wasBlocker });
    return null;
  };

  const swap = (one: ModelLink): string | null => {
    if (one.trashed) return 'conflict.in_trash';
    const type = nodes[one.source]?.independent ? 1 : one.type;
    const cycle = type === 0 && reaches(one.source, one.target, one);
    const refusal = duplicate(one.target, one.source, one) ?? (cycle ? 'conflict.cycle' : null);
    if (refusal !== null) return refusal;
    Object.assign(one, { source: one.target, target: one.source, type, wasBlocker: type === 0 && one.wasBlocker });
    return null;
  };

  const perform = (step: CascadeStep): string | null => {
    switch (step.kind) {
      case 'add': {
        nodes.push({ status: step.status, before: 0, independent: step.independent });
        if (step.parent === null || nodes.length === 1) return null;
        const parent = step.parent % (nodes.length - 1);
        const type = nodes[parent]?.independent ? 1 : 0;
        links.push({ source: nodes.length - 1, target: parent, type, trashed: false, wasBlocker: false });
        return null;
      }
      case 'status': {
        const node = at(nodes, step.node);
        if (node.status === 2) return 'conflict.node_blocked';
        node.status = step.status;
        return null;
      }
      case 'independent':
        at(nodes, step.node).independent = step.value;
        return null;
      case 'link':
        return link(step.source % nodes.length, step.target % nodes.length, step.type);
      case 'trash': {
        const one = at(links, step.link);
        if (one.trashed) return 'conflict.already_trashed';
        one.trashed = true;
        return null;
      }
      case 'swap':
        return swap(at(links, step.link));
    }
  };

  return {
    nodes,
    links,
    applies(step) {
      if (step.kind === 'trash' || step.kind === 'swap') return links.length > 0;
      return step.kind === 'add' || nodes.length > 0;
    },
    step(step) {
      const refusal = perform(step);
      if (refusal === null) settle();
      return refusal;
    },
  };
}

/** What carries out commands: the pure domain, or the service over a real database. */
export interface CascadeSubject {
  /** Does it and returns the diff, or the code of the refusal. */
  call(event: string, payload: Record<string, unknown>): Promise<CascadeAnswer>;
  /** The present status, independence and blocker count of a node. */
  node(id: string): Promise<{ status: number; independent: boolean; openBlockers: number; version: number }>;
  link(id: string): Promise<{ source: string; target: string; type: number; inTrash: boolean; wasBlocker: boolean }>;
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
    const expected = model.step(step);
    const answer = await subject.call(event, payload);
    if (answer.error !== expected)
      throw new Error(`${JSON.stringify(step)}: expected ${expected}, got ${answer.error}`);
    if (answer.error !== null) continue;
    for (const { op, after } of answer.diff.nodes) if (op === 0) nodeIds.push(after.id as string);
    for (const { op, after } of answer.diff.links) if (op === 10) linkIds.push(after.id as string);
    mergeAll(known, answer.diff);
    await compareState(model, nodeIds, linkIds, subject, known);
  }
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
    known.set(id, { ...held, ...after });
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
    const open = model.links.filter(
      (link) => link.target === position && !link.trashed && link.type === 0 && model.nodes[link.source]?.status !== 3,
    ).length;
    expectSame(`node ${position}`, actual, { ...expected, openBlockers: open }, [
      'status',
      'independent',
      'openBlockers',
    ]);
    expectSame(`node ${position} as merged`, known.get(id) ?? {}, actual, ['status', 'independent', 'version']);
  }
  for (const [position, expected] of model.links.entries()) {
    const actual = await subject.link(linkIds[position] as string);
    const wanted = {
      ...expected,
      source: nodeIds[expected.source],
      target: nodeIds[expected.target],
      inTrash: expected.trashed,
    };
    const fields = ['source', 'target', 'type', 'inTrash', 'wasBlocker'];
    expectSame(`link ${position}`, actual, wanted, fields);
    expectSame(`link ${position} as merged`, known.get(linkIds[position] as string) ?? {}, actual, fields);
  }
}

function expectSame(what: string, actual: object, expected: object, fields: readonly string[]): void {
  for (const field of fields) {
    const [got, wanted] = [actual, expected].map((state) => (state as Record<string, unknown>)[field]);
    if (got !== wanted) throw new Error(`${what}: ${field} is ${String(got)}, expected ${String(wanted)}`);
  }
}
