// Brings what other programs say into the bounds of a node; what does not fit is told. Rules: IO2, NODE2.
import { WRITABLE_FIELDS } from '../node-fields.ts';
import { EMPTY_FIELDS, type Ledger, placeOf, type TransferFields, type TransferNode } from './model.ts';

/** Fields as another program has them; what is missing is as in a new node. */
export type Loose = Partial<TransferFields> & Pick<TransferNode, 'key' | 'line'>;

const { title: TITLE, description: DESCRIPTION, tags: TAGS, assignee: ASSIGNEE } = WRITABLE_FIELDS;
const INTEGERS = Object.entries(WRITABLE_FIELDS).flatMap(([name, field]) =>
  field.kind === 'integer' ? [{ name: name as keyof TransferFields, most: field.most }] : [],
);

/** A node of these fields, as far as they fit. */
export function fitted(loose: Loose, ledger: Ledger): TransferNode {
  const title = oneLine(clean(loose.title ?? ''));
  const place = placeOf({ title, line: loose.line });
  const note = (what: string) => ledger.note(what, place);
  const cutTitle = cut(title, TITLE.most);
  if (cutTitle !== title) note(`the end of a title of more than ${TITLE.most} characters`);
  const description = clean(loose.description ?? '');
  const cutDescription = cut(description, DESCRIPTION.most);
  if (cutDescription !== description) {
    note(`the end of a description of more than ${DESCRIPTION.most} characters`);
  }
  const texts = [loose.title ?? '', loose.description ?? '', ...(loose.tags ?? []), ...(loose.assignee ?? [])];
  if (texts.some((text) => clean(text) !== text)) note('characters that no text may hold');
  return {
    ...EMPTY_FIELDS,
    ...loose,
    title: cutTitle,
    description: cutDescription,
    tags: words(loose.tags, TAGS, () => note('a tag that is too long or too many')),
    assignee: words(loose.assignee, ASSIGNEE, () => note('an assignee that is too long or too many')),
    ...integersOf(loose, note),
  };
}

function integersOf(loose: Loose, note: (what: string) => void): Partial<TransferFields> {
  const values = INTEGERS.map(({ name, most }) => {
    const given = loose[name] as number | undefined;
    return [name, whole(given, most, () => note(`a ${name} out of bounds`))];
  });
  return Object.fromEntries(values);
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

interface ListBounds {
  readonly most: number;
  readonly longest: number;
}

function words(given: readonly string[] = [], { most, longest }: ListBounds, onLoss: () => void): string[] {
  const fit: string[] = [];
  for (const word of new Set(given.map((each) => clean(each).trim()))) {
    if (word === '') continue;
    if (word.length > longest || fit.length === most) onLoss();
    else fit.push(word);
  }
  return fit;
}

function whole(given: number | undefined, most: number, onLoss: () => void): number {
  if (given === undefined) return 0;
  const near = Number.isFinite(given) ? Math.min(most, Math.max(0, Math.round(given))) : 0;
  if (near !== given) onLoss();
  return near;
}
