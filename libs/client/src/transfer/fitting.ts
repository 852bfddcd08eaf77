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

/** A day ends at its last second in UTC, on every machine alike: a key that follows from the file must find the same content (IO1). */
function endOfDay(day: string): string {
  return `${day}T23:59:59.000Z`;
}

/** A time as files write it: ISO 8601 with an offset, or without one, which is taken for UTC, or a day. Null where it is none. */
export function timeIn(text: string): string | null {
  const trimmed = text.trim();
  if (/^\d{4}-\d\d-\d\d$/.test(trimmed)) return existing(endOfDay(trimmed), trimmed);
  const found = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s?(Z|[+-]\d\d:?\d\d)?$/.exec(trimmed);
  if (found === null) return null;
  const [, day = '', clock = '', offset = 'Z'] = found;
  return existing(`${day}T${clock}${offset}`, day);
}

/** JavaScript makes the 2nd of March of the 30th of February; here that is no time. */
function existing(text: string, day: string): string | null {
  const [time, start] = [new Date(text), new Date(`${day}T00:00:00Z`)];
  if (Number.isNaN(time.getTime()) || Number.isNaN(start.getTime()) || start.toISOString().slice(0, 10) !== day)
    return null;
  return time.getUTCFullYear() > 9999 || time.getUTCFullYear() < 0 ? null : time.toISOString();
}
