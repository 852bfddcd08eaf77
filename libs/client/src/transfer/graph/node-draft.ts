// Fits the tasks of other programs into the bounds of a node and reports every loss. Rules: IO2,
// NODE2.
import { WRITABLE_FIELDS } from '../../node-fields.ts';
import type { LossReport } from './loss-report.ts';
import { EMPTY_FIELDS, placeOf, type TransferFields, type TransferNode } from './transfer-graph.ts';

/** A task as its file has it. A missing field has the value of a new node. */
export type NodeDraft = Partial<TransferFields> & Pick<TransferNode, 'key' | 'line'>;

const { title: TITLE, description: DESCRIPTION, tags: TAGS, assignee: ASSIGNEE } = WRITABLE_FIELDS;
const INTEGERS = Object.entries(WRITABLE_FIELDS).flatMap(([name, field]) =>
  field.kind === 'integer' ? [{ name: name as keyof TransferFields, most: field.most }] : [],
);

/** The node of a draft: texts are cut, surplus items dropped, and integers limited. */
export function fitNode(draft: NodeDraft, losses: LossReport): TransferNode {
  const title = joinLines(storableText(draft.title ?? ''));
  const place = placeOf({ title, line: draft.line });
  const note = (what: string) => losses.note(what, place);
  const shortTitle = cutText(title, TITLE.most);
  if (shortTitle !== title) note(`the end of a title of more than ${TITLE.most} characters`);
  const description = storableText(draft.description ?? '');
  const shortDescription = cutText(description, DESCRIPTION.most);
  if (shortDescription !== description) {
    note(`the end of a description of more than ${DESCRIPTION.most} characters`);
  }
  const texts = [draft.title ?? '', draft.description ?? '', ...(draft.tags ?? []), ...(draft.assignee ?? [])];
  if (texts.some((text) => storableText(text) !== text)) note('characters that cannot be stored');
  return {
    ...EMPTY_FIELDS,
    ...draft,
    title: shortTitle,
    description: shortDescription,
    tags: fitList(draft.tags, TAGS, () => note('a tag that is too long, or one too many')),
    assignee: fitList(draft.assignee, ASSIGNEE, () => note('an assignee that is too long, or one too many')),
    ...fitIntegers(draft, note),
  };
}

function fitIntegers(draft: NodeDraft, note: (what: string) => void): Partial<TransferFields> {
  const values = INTEGERS.map(({ name, most }) => {
    const value = draft[name] as number | undefined;
    const fit = fitInteger(value, most);
    if (value !== undefined && fit !== value)
      note(Math.round(value) === fit ? `the fraction of a ${name}, which is rounded` : `a ${name} out of bounds`);
    return [name, fit];
  });
  return Object.fromEntries(values);
}

function joinLines(text: string): string {
  const lines = text.split(/[\r\n]/).map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

/** Databases and JSON cannot store NUL and lone surrogates. */
function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Cuts between characters, never within a surrogate pair. */
function cutText(text: string, maximum: number): string {
  if (text.length <= maximum) return text;
  const short = text.slice(0, maximum);
  return short.isWellFormed() ? short : short.slice(0, -1);
}

interface ListBounds {
  readonly most: number;
  readonly longest: number;
}

function fitList(items: readonly string[] = [], { most, longest }: ListBounds, onLoss: () => void): string[] {
  const fit: string[] = [];
  for (const item of new Set(items.map((each) => storableText(each).trim()))) {
    if (item === '') continue;
    if (item.length > longest || fit.length === most) onLoss();
    else fit.push(item);
  }
  return fit;
}

function fitInteger(value: number | undefined, most: number): number {
  return value !== undefined && Number.isFinite(value) ? Math.min(most, Math.max(0, Math.round(value))) : 0;
}
