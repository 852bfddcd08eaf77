// The tasks that the views show, with the links between them: what an export has.
import type { Entity, Snapshot } from '@taskgraph/client';
import type { ShownTasks } from '../graph/shown-tasks.ts';
import { linkOf } from '../graph/task.ts';
import type { ExportContent } from '../transfer/file-messages.ts';

/** Links that leave the shown tasks are not part of it. */
export function exportContent(
  { nodes, links }: Pick<Snapshot, 'nodes' | 'links'>,
  shown: Pick<ShownTasks, 'has'>,
): ExportContent {
  const isShown = (id: string) => nodes.has(id) && shown.has(id);
  const ends = (link: Entity) => {
    const { source, target } = linkOf(link);
    return isShown(source) && isShown(target);
  };
  return {
    nodes: [...nodes.values()].filter(({ id }) => shown.has(id)),
    links: [...links.values()].filter(ends),
  };
}
