// iCalendar (RFC 5545): each task is a VTODO, and what it waits for is related to it. Rule: IO2.
import { dayOf } from '../../values/days.ts';
import {
  createLedger,
  placeOf,
  push,
  type TransferGraph,
  type TransferNode,
  type WriteOptions,
  type Written,
} from '../model.ts';

const STATUSES = ['NEEDS-ACTION', 'IN-PROCESS', 'NEEDS-ACTION', 'COMPLETED'] as const;
/** Of 1 and more, which files call low, medium, high and urgent: RFC 5545 has 1 to 4 for high, 5 for medium and 6 to 9 for low. */
const PRIORITIES = [9, 5, 3, 2, 1] as const;
/** Octets of a line without its end. */
const LINE_OCTETS = 75;

/** Writes a calendar. A task that blocks another is its child; RFC 9253 adds that the other depends on it. */
export function writeIcalendar({ nodes, links }: TransferGraph, { now, ids }: WriteOptions): Written {
  const ledger = createLedger();
  const relations = new Map<string, string[]>();
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  // Keys are whatever a file had.
  const idOf = (key: string) => escaped(ids.get(key) ?? key);
  for (const { source, target, type } of links) {
    if (type === 0) {
      push(relations, source, `RELATED-TO;RELTYPE=PARENT:${idOf(target)}`);
      push(relations, target, `RELATED-TO;RELTYPE=DEPENDS-ON:${idOf(source)}`);
    } else {
      push(relations, source, `RELATED-TO;RELTYPE=SIBLING:${idOf(target)}`);
      ledger.note('which way a link leads that does not block', placeOf(byKey.get(source) as TransferNode));
    }
  }
  const stamp = timeOf(now);
  const tasks = nodes.flatMap((node) => {
    noteLosses(node, ledger.note);
    return taskLines(node, { uid: idOf(node.key), stamp, relations: relations.get(node.key) ?? [] });
  });
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Taskgraph//Taskgraph//EN', ...tasks, 'END:VCALENDAR'];
  return { text: lines.map((line) => `${folded(line)}\r\n`).join(''), leftOut: ledger.list() };
}

interface About {
  readonly uid: string;
  readonly stamp: string;
  readonly relations: readonly string[];
}

function taskLines(node: TransferNode, { uid, stamp, relations }: About): string[] {
  const { title, description, status, dueDate, priority, tags } = node;
  return [
    'BEGIN:VTODO',
    `UID:${uid}`,
    `DTSTAMP:${stamp}`,
    `SUMMARY:${escaped(title)}`,
    ...(description === '' ? [] : [`DESCRIPTION:${escaped(description)}`]),
    ...(dueDate === null ? [] : [dueLine(dueDate)]),
    `STATUS:${STATUSES[status]}`,
    ...(status === 3 ? [`COMPLETED:${stamp}`, 'PERCENT-COMPLETE:100'] : []),
    ...(priority === 0 ? [] : [`PRIORITY:${PRIORITIES[Math.min(priority, PRIORITIES.length) - 1]}`]),
    ...(tags.length === 0 ? [] : [`CATEGORIES:${tags.map(escaped).join(',')}`]),
    ...relations,
    'END:VTODO',
  ];
}

function dueLine(dueDate: string): string {
  const day = dayOf(dueDate);
  return day === null ? `DUE:${timeOf(dueDate)}` : `DUE;VALUE=DATE:${day.replaceAll('-', '')}`;
}

function timeOf(time: string): string {
  return `${time.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Some programs end a line of a file at each of these. */
const LINE_BREAK = /\r\n?|[\n\u0085\u2028\u2029]/g;
/** But tabs; line breaks are written as escapes. */
const CONTROLS = /(?!\t)\p{Cc}/gu;

/** A text keeps its line breaks as an escape; other control characters may not stand in a line. */
function escaped(text: string): string {
  return text
    .replaceAll(LINE_BREAK, '\n')
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll(CONTROLS, '');
}

/** Lines are cut after so many octets, between characters, and go on after a blank. */
function folded(line: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(line).length <= LINE_OCTETS) return line;
  const pieces: string[] = [];
  let [piece, octets] = ['', 0];
  for (const character of line) {
    const size = encoder.encode(character).length;
    if (octets + size > LINE_OCTETS - (pieces.length === 0 ? 0 : 1)) {
      pieces.push(piece);
      [piece, octets] = ['', 0];
    }
    piece += character;
    octets += size;
  }
  return [...pieces, piece].join('\r\n ');
}

function noteLosses(node: TransferNode, note: (what: string, place: string) => void): void {
  const place = placeOf(node);
  const texts = [node.title, node.description, ...node.tags].map((text) => text.replaceAll(LINE_BREAK, ''));
  if (texts.some((text) => text.search(CONTROLS) >= 0)) note('control characters', place);
  if (node.priority > PRIORITIES.length) note(`a priority above ${PRIORITIES.length}`, place);
  if (node.volume > 0) note('the volume', place);
  if (node.assignee.length > 0) note('the assignees', place);
  if (node.independent) note('being independent', place);
  if (node.pinned || node.collapsed || node.x !== 0 || node.y !== 0 || node.z !== 0) note('a position', place);
}
