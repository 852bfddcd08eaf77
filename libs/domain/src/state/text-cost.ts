// The text that a change shows. A long description costs more to store and send than a hundred
// short ones. Rule: LIM5.
import { SHOWN_IN_FULL } from '@taskgraph/wire/codes';
import { type NamesWith, namesWhere } from '@taskgraph/wire/field-table';
import { NODE_FIELDS, type NodeFields } from '@taskgraph/wire/node-fields';
import type { Change, NodeChange } from './change.ts';
import type { NodeState } from './state.ts';

/** Characters that cost as much as one step. */
const CHARACTERS_OF_A_STEP = 10;

/** The work of a change's text, in steps, for one place where it is shown. */
export function textSteps(change: Change): number {
  return change.kind === 'node' ? Math.floor(charactersOf(change) / CHARACTERS_OF_A_STEP) : 0;
}

/**
 * A creation, deletion or restore shows the whole entity; any other change shows the fields that
 * differ, on both sides (WIRE5).
 */
function charactersOf({ op, fields, before, after }: NodeChange): number {
  if (before === null || SHOWN_IN_FULL.has(op)) return after === null ? 0 : charactersIn(after, CONTENT);
  if (after === null) return charactersIn(before, CONTENT);
  const texts = CONTENT.filter((text) => fields.includes(text));
  return texts.length === 0 ? 0 : charactersIn(before, texts) + charactersIn(after, texts);
}

/** The fields that an outline lacks. */
type ContentField = NamesWith<NodeFields, { content: true }>;
export const CONTENT = namesWhere(NODE_FIELDS, ({ content }) => content === true) as ContentField[];

/** An outline has no texts. */
function charactersIn(node: Partial<NodeState>, texts: readonly ContentField[]): number {
  let sum = 0;
  for (const text of texts) {
    const value = node[text] ?? '';
    if (typeof value === 'string') sum += value.length;
    else for (const item of value) sum += item.length;
  }
  return sum;
}
