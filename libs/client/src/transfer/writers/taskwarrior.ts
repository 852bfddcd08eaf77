// Taskwarrior's JSON, for `task import`. Rule: IO2.

import { jsonText } from '../control-characters.ts';
import {
  createLedger,
  placeOf,
  push,
  type TransferGraph,
  type TransferNode,
  type WriteOptions,
  type Written,
} from '../model.ts';

const PRIORITIES = ['', 'L', 'M', 'H'] as const;

/** A time as Taskwarrior writes it. */
function timeOf(time: string): string {
  return `${time.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** The time of the export is that of each task's making, without which Taskwarrior takes none. */
export function writeTaskwarrior({ nodes, links }: TransferGraph, { now, ids }: WriteOptions): Written {
  const ledger = createLedger();
  const waitsFor = new Map<string, string[]>();
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  for (const { source, target, type } of links) {
    if (type === 0) push(waitsFor, target, ids.get(source) ?? source);
    else
      ledger.note(
        'a link that does not block',
        `${placeOf(byKey.get(source) as TransferNode)} → ${placeOf(byKey.get(target) as TransferNode)}`,
      );
  }
  const tasks = nodes.map((node) => {
    const { key, title, description, status, dueDate, priority, tags, volume } = node;
    noteLosses(node, ledger.note);
    const words = tags.map((tag) => tag.replaceAll(/\s+/g, '_'));
    return jsonText({
      uuid: ids.get(key) ?? key,
      description: title === '' ? '(no title)' : title,
      status: status === 3 ? 'completed' : 'pending',
      entry: timeOf(now),
      ...(status === 1 ? { start: timeOf(now) } : {}),
      ...(status === 3 ? { end: timeOf(now) } : {}),
      ...(dueDate === null ? {} : { due: timeOf(dueDate) }),
      ...(priority === 0 ? {} : { priority: PRIORITIES[Math.min(3, priority)] }),
      ...(words.length === 0 ? {} : { tags: words }),
      ...(waitsFor.has(key) ? { depends: waitsFor.get(key) } : {}),
      ...(description === '' ? {} : { annotations: [{ entry: timeOf(now), description: oneLine(description) }] }),
      // An attribute of the user's own, which Taskwarrior keeps.
      ...(volume === 0 ? {} : { volume }),
    });
  });
  return { text: `[\n${tasks.join(',\n')}\n]\n`, leftOut: ledger.list() };
}

function noteLosses(node: TransferNode, note: (what: string, place: string) => void): void {
  const place = placeOf(node);
  if (node.priority > 3) note('a priority above 3', place);
  if (node.assignee.length > 0) note('the assignees', place);
  if (node.tags.some((tag) => /\s/.test(tag))) note('the blanks of a tag', place);
  if (node.description.includes('\n')) note('the line breaks of a description', place);
  if (node.independent) note('being independent', place);
  if (node.pinned || node.collapsed || node.x !== 0 || node.y !== 0 || node.z !== 0) note('a position', place);
}

function oneLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.join(' ');
}
