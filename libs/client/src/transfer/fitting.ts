// Brings what other programs say into the bounds of a node; what does not fit is told. Rules: IO2, NODE2.
import { EMPTY_FIELDS, FIELD_BOUNDS, type Ledger, placeOf, type TransferFields, type TransferNode } from './model.ts';

/** Fields as another program has them; what is missing is as in a new node. */
export type Loose = Partial<TransferFields> & Pick<TransferNode, 'key' | 'line'>;

/** A node of these fields, as far as they fit. */
export function fitted(loose: Loose, ledger: Ledger): TransferNode {
  const title = oneLine(clean(loose.title ?? ''));
  const place = placeOf({ title, line: loose.line });
  const note = (what: string) => ledger.note(what, place);
  const cutTitle = cut(title, FIELD_BOUNDS.title);
  if (cutTitle !== title) note(`the end of a title of more than ${FIELD_BOUNDS.title} characters`);
  const description = clean(loose.description ?? '');
  const cutDescription = cut(description, FIELD_BOUNDS.description);
  if (cutDescription !== description) {
    note(`the end of a description of more than ${FIELD_BOUNDS.description} characters`);
  }
  const texts = [loose.title ?? '', loose.description ?? '', ...(loose.tags ?? []), ...(loose.assignee ?? [])];
  if (texts.some((text) => clean(text) !== text)) note('characters that no text may hold');
  return {
    ...EMPTY_FIELDS,
    ...loose,
    title: cutTitle,
    description: cutDescription,
    tags: words(loose.tags, FIELD_BOUNDS.tags, FIELD_BOUNDS.tagLength, () =>
      note('a tag that is too long or too many'),
    ),
    assignee: words(loose.assignee, FIELD_BOUNDS.assignees, FIELD_BOUNDS.assigneeLength, () =>
      note('an assignee that is too long or too many'),
    ),
    priority: whole(loose.priority, () => note('a priority out of bounds')),
    volume: whole(loose.volume, () => note('a volume out of bounds')),
  };
}

function oneLine(text: string): string {
  const lines = text.split(/[\r\n]/).map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

/** NUL and lone surrogates can be stored nowhere. */
function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Cuts between characters, never within one of two units. */
function cut(text: string, maximum: number): string {
  if (text.length <= maximum) return text;
  const short = text.slice(0, maximum);
  return short.isWellFormed() ? short : short.slice(0, -1);
}

function words(given: readonly string[] = [], most: number, longest: number, onLoss: () => void): string[] {
  const fit: string[] = [];
  for (const word of new Set(given.map((each) => clean(each).trim()))) {
    if (word === '') continue;
    if (word.length > longest || fit.length === most) onLoss();
    else fit.push(word);
  }
  return fit;
}

function whole(given: number | undefined, onLoss: () => void): number {
  if (given === undefined) return 0;
  const near = Number.isFinite(given) ? Math.min(FIELD_BOUNDS.number, Math.max(0, Math.round(given))) : 0;
  if (near !== given) onLoss();
  return near;
}
