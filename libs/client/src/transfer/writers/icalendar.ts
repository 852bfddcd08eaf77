// Writes a calendar (RFC 5545): each task is a VTODO, and links are relations. Rule: IO2.
import {
  categoryLines,
  compactTime,
  dateLine,
  escapeText,
  HEAD_LINES,
  priorityLines,
  stateLines,
  textOfLines,
} from '@taskgraph/domain/calendar/icalendar-text';
import { push, type TransferGraph, type TransferNode, type WriteOptions } from '../graph/transfer-graph.ts';

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
  const tasks = nodes.flatMap((node) =>
    taskLines(node, { uid: uidOf(node.key), now, relations: relations.get(node.key) ?? [] }),
  );
  return textOfLines([...HEAD_LINES, ...tasks, 'END:VCALENDAR']);
}

interface TaskContext {
  readonly uid: string;
  /** The time of the export. */
  readonly now: string;
  readonly relations: readonly string[];
}

function taskLines(node: TransferNode, { uid, now, relations }: TaskContext): string[] {
  const { title, description, status, dueDate, priority, tags } = node;
  // Some programs show a task as completed only if it has a time. An unknown time is that of the
  // export.
  const completed = node.completedTime ?? now;
  return [
    'BEGIN:VTODO',
    `UID:${uid}`,
    `DTSTAMP:${compactTime(now)}`,
    `SUMMARY:${escapeText(title)}`,
    ...(description === '' ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    ...(dueDate === null ? [] : [dateLine('DUE', dueDate)]),
    ...stateLines({ status, completed }),
    ...priorityLines(priority),
    ...categoryLines(tags),
    ...relations,
    'END:VTODO',
  ];
}
