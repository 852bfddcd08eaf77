// The lines of answers. Texts of users are quoted as JSON on one line, so that nothing in them can
// look like a part of the answer. Every answer is bounded by bytes.

import { Status } from '@taskgraph/wire/codes';
import type { WireNode } from '@taskgraph/wire/entities';
import { modelJson } from './model-text.ts';
import { ToolFailure } from './service.ts';
import { dayText, momentText } from './times.ts';

/** The bytes of an answer's lines, as they are encoded in its JSON. */
export const ANSWER_BYTES = 16_000;

/** UTF-16 units of titles, tags and names that a line shows. */
const SHOWN_TITLE = 160;
const SHOWN_NAME = 40;
const SHOWN_NAMES = 6;
/** Digits at the end of an id that lines show. */
const SHORT_DIGITS = 8;

export const STATUSES: Readonly<Record<Status, string>> = {
  [Status.AVAILABLE]: 'Available',
  [Status.IN_PROGRESS]: 'InProgress',
  [Status.BLOCKED]: 'Blocked',
  [Status.COMPLETED]: 'Completed',
};

/** A node as a page of the graph or of the trash shows it. */
export type ShownNode = Pick<WireNode, 'id' | 'title' | 'status'> & Partial<WireNode>;

/** The last digits of an id. */
export function shortId(id: string): string {
  return id.slice(-SHORT_DIGITS);
}

/** A text of a user in quotes, on one line, cut after `most` UTF-16 units. */
export function quoted(text: string, most = SHOWN_TITLE): string {
  if (text.length <= most) return modelJson(text);
  // Half of a surrogate pair is no character.
  const cut = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  return `${modelJson(cut)}…`;
}

/** Texts of users, separated by commas. */
function quotedList(texts: readonly string[]): string {
  const shown = texts.slice(0, SHOWN_NAMES).map((text) => quoted(text, SHOWN_NAME));
  const more = texts.length > shown.length ? [`${texts.length - shown.length} more`] : [];
  return [...shown, ...more].join(', ');
}

/** A node in one line: short id, status, title, and the fields that have a value. */
export function nodeLine(node: ShownNode, nowMs: number): string {
  const { id, status, title, dueDate, priority = 0, volume = 0, assignee = [], tags = [] } = node;
  const isLate = dueDate != null && status !== Status.COMPLETED && Date.parse(dueDate) < nowMs;
  return [
    shortId(id),
    STATUSES[status as Status],
    quoted(title),
    ...(dueDate == null ? [] : [`due ${dayText(dueDate)}${isLate ? ' (overdue)' : ''}`]),
    ...(priority > 0 ? [`priority ${priority}`] : []),
    ...(volume > 0 ? [`volume ${volume}`] : []),
    ...claimOf(node, nowMs),
    ...(assignee.length > 0 ? [`assignee ${quotedList(assignee)}`] : []),
    ...(tags.length > 0 ? [`tags ${quotedList(tags)}`] : []),
    ...(node.inTrash === true ? ['in the trash'] : []),
  ].join(' ');
}

/** The claim of a node, unless it has ended. */
function claimOf({ claimedBy, claimUntil }: ShownNode, nowMs: number): string[] {
  if (claimedBy == null || claimUntil == null || Date.parse(claimUntil) <= nowMs) return [];
  return [`claimed by ${quoted(claimedBy, SHOWN_NAME)} until ${momentText(claimUntil)}`];
}

/** The number of lines from the first on that fit into an answer. */
export function fitting(lines: readonly string[], bytes = ANSWER_BYTES): number {
  let used = 0;
  for (const [index, line] of lines.entries()) {
    used += encodedBytes(line);
    if (used > bytes) return index;
  }
  return lines.length;
}

/** Bytes of a line and its line break in the JSON of an answer. */
function encodedBytes(line: string): number {
  return Buffer.byteLength(JSON.stringify(line));
}

/** The lines from a cursor on that fit, with the cursor of the others. At least one line is shown. */
export function pageOfLines(lines: readonly string[], more: string | undefined, bytes = ANSWER_BYTES): string {
  const from = offsetOf(more);
  const rest = lines.slice(from);
  const count = Math.max(1, fitting(rest, bytes));
  return [...rest.slice(0, count), ...moreLine(count < rest.length ? String(from + count) : null)].join('\n');
}

/** UTF-16 units by which pages of a text are measured. */
const PIECE_LENGTH = 500;

/** The part of a text from a cursor on that fits, with the cursor of the rest. */
export function pageOfText(text: string, more: string | undefined): string {
  const from = offsetOf(more);
  const rest = piecesOf(text, PIECE_LENGTH).slice(from);
  const count = Math.max(1, fitting(rest));
  const cursor = count < rest.length ? String(from + count) : null;
  return [rest.slice(0, count).join(''), ...moreLine(cursor)].join('\n');
}

/** A long text in pieces. */
export function piecesOf(text: string, length: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = /[\ud800-\udbff]/.test(text.charAt(at + length - 1)) ? at + length - 1 : at + length;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

/** A cursor that is a number of lines or entries. */
export function offsetOf(more: string | undefined): number {
  if (more === undefined) return 0;
  if (/^\d{1,9}$/.test(more)) return Number(more);
  throw new ToolFailure('bad_request.invalid_more', 'The argument "more" is not that of an answer of this tool.');
}

/** The line with the cursor of the next page. */
export function moreLine(cursor: string | null): string[] {
  return cursor === null ? [] : [`more: ${cursor} (repeat the call with this as "more")`];
}
