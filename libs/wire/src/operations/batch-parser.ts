// The operations of a composite, taken apart: each with its definition, and with ids that stand for what is not made yet. Rules: BAT1 to BAT3.
import { mergeReadSets, type ReadSet } from '@taskgraph/domain/state/read-set';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { composeId } from '@taskgraph/wire/ids';
import { parsePayload } from '../payload.ts';
import type { AnyDefinition } from '../pipeline/command.ts';

/** An operation as it was sent. */
interface Sent {
  readonly event: string;
  readonly payload?: unknown;
  readonly as?: string | undefined;
}

/** An operation whose shape is right. */
export interface Operation {
  readonly definition: AnyDefinition;
  /** Parsed; in the place of names it has stand-ins. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Which fields are names, with their stand-ins. */
  readonly named: Readonly<Record<string, string>>;
  /** The stand-ins for the ids of what it brings. */
  readonly standIns: { readonly id: string; readonly link: string };
}

/** The definition of an operation that a composite may have, by its event. */
export type DefinitionOf = (event: string) => AnyDefinition | undefined;

/** Fields that take the id of a node or a link. */
const ID_FIELDS = ['id', 'source', 'target'] as const;
const NAMING = new Set(['node:add', 'link:add']);

/** Judges the shapes of all operations, up to the first that is wrong. */
export function operationsOf(sent: readonly Sent[], definitionOf: DefinitionOf): Operation[] | Refusal {
  /** By the text by which a later operation names an id. */
  const names = new Map<string, string>();
  const operations: Operation[] = [];
  for (const [index, each] of sent.entries()) {
    const operation = operationOf(each, index, names, definitionOf);
    if (isRefusal(operation)) return atIndex(operation, index);
    operations.push(operation);
  }
  return operations;
}

/** Says which operation is refused. */
export function atIndex(refusal: Refusal, index: number): Refusal {
  return { ...refusal, details: { ...refusal.details, index } };
}

function operationOf(
  { event, payload: raw = {}, as }: Sent,
  index: number,
  names: Map<string, string>,
  definitionOf: DefinitionOf,
): Operation | Refusal {
  const definition = definitionOf(event);
  if (definition === undefined) return refuse('bad_request.unknown_event', 'A batch has no such operation.');
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
  const payload = parsePayload(definition, isObject(raw) ? { ...raw, ...named } : raw);
  if (isRefusal(payload)) return payload;
  const standIns = { id: standIn(2 * index), link: standIn(2 * index + 1) };
  if (as !== undefined) names.set(`$${as}`, standIns.id);
  if (as !== undefined && event === 'node:add' && payload.target !== undefined) {
    names.set(`$${as}.link`, standIns.link);
  }
  return { definition, payload, named, standIns };
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

/** The payload with the ids of what has been made meanwhile; null where something that it names was not made. */
export function withIds(
  { payload, named }: Pick<Operation, 'payload' | 'named'>,
  made: ReadonlyMap<string, string>,
): Record<string, unknown> | null {
  const real: Record<string, unknown> = { ...payload };
  for (const [field, id] of Object.entries(named)) {
    if (!made.has(id)) return null;
    real[field] = made.get(id);
  }
  return real;
}

/** All that the operations ask for, save what they ask of each other. A path may lead over links that an earlier one made: its whole walk is loaded. */
export function readSetOfAll(operations: readonly Operation[]): ReadSet {
  const standIns = new Set(operations.flatMap(({ named }) => Object.values(named)));
  const isStandIn = (id: string) => standIns.has(id);
  const { paths = [], ...asked } = mergeReadSets(
    operations.map(({ definition, payload }) => definition.readSet(payload)),
  );
  const walked = { ...asked, closuresOf: [...(asked.closuresOf ?? []), ...paths.map(({ from }) => from)] };
  const stored = Object.entries(walked).map(([kind, items]) => [
    kind,
    [...new Map(items.filter((item) => !names(item, isStandIn)).map((item) => [JSON.stringify(item), item])).values()],
  ]);
  return Object.fromEntries(stored) as ReadSet;
}

/** Whether an item of a read set names something that is not made yet. A grant's key begins with its node. */
function names(item: unknown, isStandIn: (id: string) => boolean): boolean {
  if (typeof item === 'string') return isStandIn(item) || isStandIn(item.slice(0, item.indexOf('|')));
  return Object.values(item as object).some((value) => typeof value === 'string' && isStandIn(value));
}
