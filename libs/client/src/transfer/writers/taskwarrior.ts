// Writes Taskwarrior's JSON, for `task import`. Rule: IO2.

import { compactTime } from '@taskgraph/domain/calendar/icalendar-text';
import { jsonText } from '@taskgraph/wire/control-characters';
import { push, type TransferGraph, type WriteOptions } from '../graph/transfer-graph.ts';
import { HIGHEST_PRIORITY } from './unsupported-fields.ts';

const PRIORITIES = ['', 'L', 'M', 'H'] as const;

/**
 * Taskwarrior requires times of creation and of completion. For unknown times, the export writes
 * its own time.
 */
export function writeTaskwarrior({ nodes, links }: TransferGraph, { now, ids }: WriteOptions): string {
  const blockers = new Map<string, string[]>();
  const stamp = compactTime(now);
  for (const { source, target, type } of links) {
    if (type === 0) push(blockers, target, ids.get(source) ?? source);
  }
  const tasks = nodes.map(({ key, title, description, status, dueDate, priority, tags, volume, completedTime }) => {
    const words = tags.map((tag) => tag.replaceAll(/\s+/g, '_'));
    return jsonText({
      uuid: ids.get(key) ?? key,
      description: title === '' ? '(no title)' : title,
      status: status === 3 ? 'completed' : 'pending',
      entry: stamp,
      ...(status === 1 ? { start: stamp } : {}),
      ...(status === 3 ? { end: completedTime ? compactTime(completedTime) : stamp } : {}),
      ...(dueDate === null ? {} : { due: compactTime(dueDate) }),
      ...(priority === 0 ? {} : { priority: PRIORITIES[Math.min(HIGHEST_PRIORITY.taskwarrior, priority)] }),
      ...(words.length === 0 ? {} : { tags: words }),
      ...(blockers.has(key) ? { depends: blockers.get(key) } : {}),
      ...(description === '' ? {} : { annotations: [{ entry: stamp, description: joinLines(description) }] }),
      // Taskwarrior preserves unknown attributes.
      ...(volume === 0 ? {} : { volume }),
    });
  });
  return `[\n${tasks.join(',\n')}\n]\n`;
}

function joinLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.join(' ');
}
