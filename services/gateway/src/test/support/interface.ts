// The shapes of docs/interface.md as data: fields and their kinds.
import { type FieldKind, NODE_SHAPE } from '@taskgraph/reference-model/node-fields';
import { expect } from 'vitest';
import type { Body } from './calls.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The expected kind of a field's value; the key set of a shape is exact. */
type Kind = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Kind>>;

const text: Kind = (value) => typeof value === 'string';
const flag: Kind = (value) => typeof value === 'boolean';
const int: Kind = (value) => Number.isInteger(value);
const float: Kind = (value) => typeof value === 'number';
const object: Kind = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const id: Kind = (value) => typeof value === 'string' && uuid.test(value);
const moment: Kind = (value) => typeof value === 'string' && time.test(value);
const listOf =
  (kind: Kind): Kind =>
  (value) =>
    Array.isArray(value) && value.every(kind);
const orNull =
  (kind: Kind): Kind =>
  (value) =>
    value === null || kind(value);
const within =
  (lowest: number, highest: number): Kind =>
  (value) =>
    int(value) && (value as number) >= lowest && (value as number) <= highest;
const nothing: Kind = (value) => Array.isArray(value) && value.length === 0;
const shaped =
  (shape: Shape): Kind =>
  (value) =>
    object(value) && faultsOf(value as object, shape).length === 0;

const KINDS: Readonly<Record<FieldKind, Kind>> = {
  'an id': id,
  'a text': text,
  'a time': moment,
  'an integer': int,
  'an integer from 0 to 3': within(0, 3),
  'a number': float,
  'true or false': flag,
  'a list of texts': listOf(text),
  'a list of ids': listOf(id),
};

/** A node as its owner sees it. */
export const NODE: Shape = Object.fromEntries(
  NODE_SHAPE.map(([field, kind, or]) => [field, or === undefined ? KINDS[kind] : orNull(KINDS[kind])]),
);

export const LINK: Shape = {
  id,
  source: id,
  target: id,
  type: within(0, 1),
  version: int,
  wasBlocker: flag,
  private: flag,
  inTrash: flag,
  lastBatchID: orNull(id),
  shareRoots: listOf(id),
  createdTime: moment,
  lastEditedTime: moment,
};

/** GET /api/graph (EVT3). */
const PAGE_LINK: Shape = {
  id,
  source: id,
  target: id,
  type: within(0, 1),
  version: int,
  wasBlocker: flag,
  private: flag,
};

const TRASH_NODE: Shape = {
  id,
  title: text,
  status: within(0, 3),
  inTrash: flag,
  lastBatchID: id,
  version: int,
  lastEditedTime: moment,
  ownerUsername: text,
  ownerEmail: text,
};

const TRASH_LINK: Shape = {
  id,
  source: id,
  target: id,
  type: within(0, 1),
  version: int,
  inTrash: flag,
  lastBatchID: id,
  private: flag,
};

/** `id` is the node's (ACL4). */
export const GRANT: Shape = { id, email: text, level: within(1, 3), due: orNull(moment), branch: flag, version: int };

const ACTOR: Shape = { username: text, email: text };

const HISTORY_OP: Shape = {
  id: int,
  type: int,
  entityId: id,
  forwardPatch: object,
  inversePatch: object,
  guard: object,
  createdTime: moment,
};

const HISTORY_BATCH: Shape = {
  batchId: id,
  actor: shaped(ACTOR),
  ts: moment,
  undone: flag,
  ops: listOf(shaped(HISTORY_OP)),
};

const without = (shape: Shape, ...names: string[]): Shape =>
  Object.fromEntries(Object.entries(shape).filter(([name]) => !names.includes(name)));

/**
 * The published node as readers without an account see it, and its further differences from nodes
 * below it (PUB4).
 */
export const PUBLIC_NODE = without(
  NODE,
  'ownerUsername',
  'ownerEmail',
  'assignee',
  'claimedBy',
  'claimUntil',
  'lastBatchID',
);
export const PUBLIC_NODE_BELOW = without(PUBLIC_NODE, 'publicToken', 'publicDue', 'publicBranch');

const ENTRY: Shape = { op: int, before: object, after: object };

const DIFF: Shape = {
  batchId: orNull(id),
  actor: shaped(ACTOR),
  ts: moment,
  user: nothing,
  nodes: listOf(shaped(ENTRY)),
  links: listOf(shaped(ENTRY)),
  access: listOf(shaped(ENTRY)),
};

const traceId: Kind = (value) => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);
const yes: Kind = (value) => value === true;

/** EVT1 adds `feeds`, GEN3 the trace id. */
const MUTATION: Shape = { ok: yes, diff: shaped(DIFF), feeds: object, trace_id: traceId };

/** Without `undoOf` or `redoOf`; only nodes and links are always present (HIS6). */
export const REVERTED: Shape = { ok: yes, batchId: id, diff: object, feeds: object, trace_id: traceId };

export const HEALTH: Shape = { ok: yes, status: (value) => value === 'up', trace_id: traceId };

export const GRAPH_PAGE: Shape = {
  ok: yes,
  hasMore: flag,
  nodes: listOf(shaped(NODE)),
  links: listOf(shaped(PAGE_LINK)),
  trace_id: traceId,
  next: orNull(text),
  feeds: object,
  position: text,
};

export const PUBLIC_PAGE: Shape = {
  ok: yes,
  hasMore: flag,
  nodes: listOf(object),
  links: listOf(shaped(PAGE_LINK)),
  next: orNull(text),
  feeds: object,
  trace_id: traceId,
};

export const TRASH_PAGE: Shape = {
  ok: yes,
  hasMore: flag,
  nodes: listOf(shaped(TRASH_NODE)),
  links: listOf(shaped(TRASH_LINK)),
  trace_id: traceId,
};

export const HISTORY_PAGE: Shape = {
  ok: yes,
  hasMore: flag,
  next: orNull(text),
  batches: listOf(shaped(HISTORY_BATCH)),
  trace_id: traceId,
};

export const GRANT_LIST: Shape = { ok: yes, hasMore: flag, grants: listOf(shaped(GRANT)), trace_id: traceId };

const IDS: Shape = { nodes: listOf(id), links: listOf(id) };

/** A first page has the heads of the reader's feeds too. */
export const CHANGES: Shape = {
  ok: yes,
  position: text,
  hasMore: flag,
  next: orNull(text),
  trace_id: traceId,
  nodes: listOf(shaped(NODE)),
  links: listOf(shaped(LINK)),
  gone: shaped(IDS),
  feeds: shaped({ gained: listOf(text), lost: listOf(text) }),
  heads: object,
};

export const REFUSAL: Shape = { ok: (value) => value === false, error: text, message: text, trace_id: traceId };

/**
 * The differences of a value from a shape: missing fields, unknown fields, and values of another
 * kind.
 */
function faultsOf(thing: object, shape: Shape): string[] {
  const missing = Object.keys(shape).filter((name) => !(name in thing));
  const wrong = Object.entries(thing).flatMap(([name, value]) => {
    const kind = shape[name];
    if (kind === undefined) return [`${name} is too much`];
    return kind(value) ? [] : [`${name} is ${JSON.stringify(value)}`];
  });
  return [...missing.map((name) => `${name} is missing`), ...wrong];
}

export function expectShape(thing: unknown, shape: Shape): void {
  expect(faultsOf((thing ?? {}) as object, shape)).toEqual([]);
}

interface DiffEntry {
  readonly op: number;
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
}

/** The diff of a mutation's answer, whose envelope is checked. */
export function diffOf(body: Body) {
  expectShape(body, MUTATION);
  return body.diff as { batchId: string; actor: object; nodes: DiffEntry[]; links: DiffEntry[]; access: DiffEntry[] };
}

/**
 * Rule 2 of the diff: the changed fields, `id` and `version` on both sides; `after` has share roots
 * and the time too.
 */
export function expectPatch(entry: DiffEntry | undefined, fields: readonly string[]): void {
  const { before = {}, after = {} } = entry ?? {};
  expect(Object.keys(before).sort()).toEqual([...fields, 'id', 'version'].sort());
  expect(Object.keys(after).sort()).toEqual([...fields, 'id', 'version', 'shareRoots', 'lastEditedTime'].sort());
  expect([after.id, after.version]).toEqual([before.id, Number(before.version) + 1]);
  expect([listOf(id)(after.shareRoots), moment(after.lastEditedTime)]).toEqual([true, true]);
}

/** Rule 3: nothing before, the whole entity after. */
export function expectCreated(entry: DiffEntry | undefined, shape: Shape): void {
  expect(entry?.before).toEqual({});
  expectShape(entry?.after, shape);
}

/** Rule 4: the whole entity before; after, that it is deleted. */
export function expectDeleted(entry: DiffEntry | undefined, shape: Shape): void {
  expectShape(entry?.before, shape);
  expectShape(entry?.after, { id, deleted: yes, shareRoots: listOf(id) });
  expect(entry?.after.id).toBe(entry?.before.id);
}
