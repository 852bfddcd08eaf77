// Writes a calendar (RFC 5545): each task is a VTODO, and links are relations. Rule: IO2.
import { dayOf } from '../../values/days.ts';
import { push, type TransferGraph, type TransferNode, type WriteOptions } from '../graph/transfer-graph.ts';
import { compactTime, escapeText, foldLine } from '../text/icalendar-text.ts';
import { HIGHEST_PRIORITY } from './unsupported-fields.ts';

const STATUSES = ['NEEDS-ACTION', 'IN-PROCESS', 'NEEDS-ACTION', 'COMPLETED'] as const;
/** For 1 (low) to 5. In RFC 5545, 1 to 4 are high, 5 is medium, and 6 to 9 are low. */
const PRIORITIES = [9, 5, 3, 2, 1] as const;

/** A blocker is a child of its target; RFC 9253 adds that the target depends on it. */
export function writeIcalendar({ nodes, links }: TransferGraph, { now, ids }: WriteOptions): string {
  const relations = new Map<string, string[]>();
  // Keys can have any characters.
  const uidOf = (key: string) => escapeText(ids.get(key) ?? key);
  for (const { source, target, type } of links) {
    if (type === 0) {
      push(relations, source, `RELATED-TO;RELTYPE=PARENT:${uidOf(target)}`);
      push(relations, target, `RELATED-TO;RELTYPE=DEPENDS-ON:${uidOf(source)}`);
    } else push(relations, source, `RELATED-TO;RELTYPE=SIBLING:${uidOf(target)}`);
  }
  const stamp = compactTime(now);
  const tasks = nodes.flatMap((node) =>
    taskLines(node, { uid: uidOf(node.key), stamp, relations: relations.get(node.key) ?? [] }),
  );
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Taskgraph//Taskgraph//EN', ...tasks, 'END:VCALENDAR'];
  return lines.map((line) => `${foldLine(line)}\r\n`).join('');
}

interface TaskContext {
  readonly uid: string;
  /** The time of the export. */
  readonly stamp: string;
  readonly relations: readonly string[];
}

function taskLines(node: TransferNode, { uid, stamp, relations }: TaskContext): string[] {
  const { title, description, status, dueDate, priority, tags } = node;
  // Some programs show a task as completed only if it has a time. An unknown time is that of the
  // export.
  const completed = node.completedTime ? compactTime(node.completedTime) : stamp;
  return [
    'BEGIN:VTODO',
    `UID:${uid}`,
    `DTSTAMP:${stamp}`,
    `SUMMARY:${escapeText(title)}`,
    ...(description === '' ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    ...(dueDate === null ? [] : [dueLine(dueDate)]),
    `STATUS:${STATUSES[status]}`,
    ...(status === 3 ? [`COMPLETED:${completed}`, 'PERCENT-COMPLETE:100'] : []),
    ...(priority === 0 ? [] : [`PRIORITY:${PRIORITIES[Math.min(priority, HIGHEST_PRIORITY.icalendar) - 1]}`]),
    ...(tags.length === 0 ? [] : [`CATEGORIES:${tags.map(escapeText).join(',')}`]),
    ...relations,
    'END:VTODO',
  ];
}

function dueLine(dueDate: string): string {
  const day = dayOf(dueDate);
  return day === null ? `DUE:${compactTime(dueDate)}` : `DUE;VALUE=DATE:${day.replaceAll('-', '')}`;
}
