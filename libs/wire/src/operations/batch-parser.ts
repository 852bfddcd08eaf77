// Parses the operations of a composite: each gets its payload, and ids that stand for entities that do not exist yet.
// Rules: BAT1 to BAT3.
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { composeId } from '../ids.ts';
import { linkOperations } from './link-operations.ts';
import { nodeOperations } from './node-operations.ts';
import type { Operation } from './operation.ts';
import { parsePayload } from './payload-parser.ts';
import { sharingOperations } from './sharing-operations.ts';

/** The commands that a composite may contain (BAT1). */
export const batchable: readonly Operation[] = Object.values<Operation>({
  ...nodeOperations,
  ...sharingOperations,
  ...linkOperations,
}).filter(({ kind }) => kind === 'command');

const byEvent = new Map(batchable.map((operation) => [operation.name, operation]));

/** An operation of a composite as it was sent. */
interface SentOperation {
  readonly event: string;
  readonly payload?: unknown;
  readonly as?: string | undefined;
}

/** An operation of a composite, parsed. */
export interface BatchOperation {
  readonly event: string;
  /** In the place of names it has stand-ins. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Which fields are names, with their stand-ins. */
  readonly named: Readonly<Record<string, string>>;
  /** The stand-ins for the ids of the entities that it creates. */
  readonly standIns: { readonly id: string; readonly link: string };
}

/** Fields that take the id of a node or a link. */
const ID_FIELDS = ['id', 'source', 'target'] as const;
const NAMING = new Set(['node:add', 'link:add']);

/** Parses all operations, up to the first that is wrong. */
export function parseOperations(sent: readonly SentOperation[]): BatchOperation[] | Refusal {
  /** By the text by which a later operation names an id. */
  const names = new Map<string, string>();
  const operations: BatchOperation[] = [];
  for (const [index, each] of sent.entries()) {
    const operation = parseOperation(each, index, names);
    if (isRefusal(operation)) return atIndex(operation, index);
    operations.push(operation);
  }
  return operations;
}

/** Says which operation is refused. */
export function atIndex(refusal: Refusal, index: number): Refusal {
  return { ...refusal, details: { ...refusal.details, index } };
}

function parseOperation(
  { event, payload: raw = {}, as }: SentOperation,
  index: number,
  names: Map<string, string>,
): BatchOperation | Refusal {
  const operation = byEvent.get(event);
  if (operation === undefined) return refuse('bad_request.unknown_event', 'A batch has no such operation.');
  if (as !== undefined && !NAMING.has(event)) {
    return refuse('bad_request.unknown_field', 'Only an operation that creates a node or a link can have a name.', {
      path: 'as',
    });
  }
  if (as !== undefined && names.has(`$${as}`)) {
    return refuse('bad_request.duplicate_name', `The name ${as} is given twice.`, { path: 'as' });
  }
  const named = namesIn(raw, names);
  if (isRefusal(named)) return named;
  const payload = parsePayload(operation, isObject(raw) ? { ...raw, ...named } : raw);
  if (isRefusal(payload)) return payload;
  const standIns = { id: standIn(2 * index), link: standIn(2 * index + 1) };
  if (as !== undefined) names.set(`$${as}`, standIns.id);
  if (as !== undefined && event === 'node:add' && payload.target !== undefined) {
    names.set(`$${as}.link`, standIns.link);
  }
  return { event, payload, named, standIns };
}

/** An id that no entity has: it stands for one that is made when the operation is decided. */
function standIn(number: number): string {
  return composeId(0, 0, number, new Uint8Array(6));
}

function isObject(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

/** The fields that name something, with its stand-in. A payload that is no object is left to the schema. */
function namesIn(raw: unknown, names: ReadonlyMap<string, string>): Record<string, string> | Refusal {
  const named: Record<string, string> = {};
  for (const field of ID_FIELDS) {
    const value = isObject(raw) && Object.hasOwn(raw, field) ? raw[field] : undefined;
    if (typeof value !== 'string' || !value.startsWith('$')) continue;
    const id = names.get(value);
    if (id === undefined) {
      const message = `No earlier operation brings ${JSON.stringify(value.slice(0, 100))}.`;
      return refuse('bad_request.unknown_name', message, { path: field });
    }
    named[field] = id;
  }
  return named;
}
