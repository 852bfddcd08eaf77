// Parses the operations of a `batch:run`: each gets its payload, with stand-ins for the ids of new
// entities. Rules: BAT1 to BAT3.
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { composeId } from '../ids.ts';
import { linkOperations } from './link-operations.ts';
import { nodeOperations } from './node-operations.ts';
import type { Operation } from './operation.ts';
import { parsePayload } from './payload-parser.ts';
import { sharingOperations } from './sharing-operations.ts';

/** The commands that a `batch:run` may contain (BAT1). */
export const batchable: readonly Operation[] = Object.values<Operation>({
  ...nodeOperations,
  ...sharingOperations,
  ...linkOperations,
}).filter(({ kind }) => kind === 'command');

const byEvent = new Map(batchable.map((operation) => [operation.name, operation]));

/** An operation of a `batch:run` as the client sent it. */
interface SentOperation {
  readonly event: string;
  readonly payload?: unknown;
  readonly as?: string | undefined;
}

/** A parsed operation of a `batch:run`. */
export interface BatchOperation {
  readonly event: string;
  /** The payload, with stand-ins in place of names. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The fields that contain names, with their stand-ins. */
  readonly named: Readonly<Record<string, string>>;
  /** Stand-ins for the ids of the entities that it creates. */
  readonly standIns: { readonly id: string; readonly link: string };
}

/** Fields that contain the id of a node or link. */
const ID_FIELDS = ['id', 'source', 'target'] as const;
const NAMING = new Set(['node:add', 'link:add']);

/** Parses the operations, up to the first invalid one. */
export function parseOperations(sent: readonly SentOperation[]): BatchOperation[] | Refusal {
  /** Stand-ins by the text with which a later operation names an id. */
  const names = new Map<string, string>();
  const operations: BatchOperation[] = [];
  for (const [index, each] of sent.entries()) {
    const operation = parseOperation(each, index, names);
    if (isRefusal(operation)) return atIndex(operation, index);
    operations.push(operation);
  }
  return operations;
}

/** Adds the index of the refused operation. */
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

/** An id that no entity has. It stands for the id that the decision will create. */
function standIn(number: number): string {
  return composeId(0, 0, number, new Uint8Array(6));
}

function isObject(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

/**
 * The fields that contain names, with their stand-ins. The schema refuses a payload that is no
 * object.
 */
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
