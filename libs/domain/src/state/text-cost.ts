// The cost of the texts in a change: storing and sending one long description costs more than a hundred short ones. Rule: LIM5.
import { SHOWN_IN_FULL } from '@taskgraph/wire/codes';
import type { Change, NodeChange } from './change.ts';
import type { NodeState } from './state.ts';

/** Characters that cost as much as one step of a walk. */
const CHARACTERS_OF_A_STEP = 10;

/** The steps of work for the texts of a change. Count them once for each feed that the change is sent to. */
export function textSteps(change: Change): number {
  return change.kind === 'node' ? Math.floor(charactersOf(change) / CHARACTERS_OF_A_STEP) : 0;
}

/** A creation, a deletion and a restore show all fields; any other change shows the fields that differ, before and after (WIRE5). */
function charactersOf({ op, fields, before, after }: NodeChange): number {
  if (before === null || SHOWN_IN_FULL.has(op)) return after === null ? 0 : charactersIn(after, TEXTS);
  if (after === null) return charactersIn(before, TEXTS);
  const texts = TEXTS.filter((text) => fields.includes(text));
  return texts.length === 0 ? 0 : charactersIn(before, texts) + charactersIn(after, texts);
}

const TEXTS = ['title', 'description', 'tags', 'assignee'] as const;

/** A node that was loaded as the end of a link has no texts. */
function charactersIn(node: Partial<NodeState>, texts: readonly (typeof TEXTS)[number][]): number {
  let sum = 0;
  for (const text of texts) {
    const value = node[text] ?? '';
    if (typeof value === 'string') sum += value.length;
    else for (const item of value) sum += item.length;
  }
  return sum;
}
