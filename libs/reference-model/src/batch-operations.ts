// The operations of a batch: their names, and the entities that they create or restore (BAT2,
// BAT6).

import { Op } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { ModelCommand, ModelOp } from './state.ts';

export interface Operation {
  readonly event: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly as?: string;
}

const TAKING_IDS = ['id', 'source', 'target'];

export function operationsIn({ payload }: Pick<ModelCommand, 'payload'>): readonly Operation[] {
  return payload.operations as readonly Operation[];
}

/** The names in place of ids. */
export function namesIn(payload: Readonly<Record<string, unknown>>): string[] {
  return TAKING_IDS.map((field) => String(payload[field] ?? '')).filter((value) => value.startsWith('$'));
}

/** The payload with ids in place of names. */
export function named(
  payload: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const entries = Object.entries(payload).map(([field, value]) => [
    field,
    TAKING_IDS.includes(field) ? (names.get(String(value)) ?? value) : value,
  ]);
  return Object.fromEntries(entries);
}

/** The node or link that an operation created, or the link that it restored. Rules: BAT6, LNK6. */
export function resultOf({ event }: Operation, ops: readonly ModelOp[]): { id?: string; link?: string } {
  const idOf = (...codes: number[]) => ops.find(({ op }) => codes.includes(op))?.id;
  const id = event === 'node:add' ? idOf(Op.NODE_ADD) : event === 'link:add' ? ownLink(ops) : undefined;
  const link = event === 'node:add' ? idOf(Op.LINK_ADD) : undefined;
  return { ...definedFields({ id, link }) };
}

function ownLink(ops: readonly ModelOp[]): string | undefined {
  return ops.find(({ op, effect }) => !effect && (op === Op.LINK_ADD || op === Op.LINK_RESTORE))?.id;
}
