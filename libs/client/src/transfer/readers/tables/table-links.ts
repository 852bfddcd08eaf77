// The links between the rows of a table: blockers, parents, children and related tasks. Rules: IO2,
// IO10.
import { otherTypeNote } from '../../graph/dependency-types.ts';
import { BLOCKED_PARENT, blockingLink, createLinks, relatedLink } from '../../graph/links.ts';
import type { TransferLink } from '../../graph/transfer-graph.ts';
import { isBlank } from '../../values/words.ts';
import type { Column } from './columns.ts';
import { type OutlineRow, parentsByOutline } from './outline.ts';
import { type TaskReference, type TaskReferences, tasksIn } from './references.ts';
import type { TableReport } from './table-report.ts';

export interface LinkRow extends OutlineRow {
  readonly line: number;
  /** The trimmed cells of the columns of a field. */
  cells(column: Column): readonly string[];
}

type LinkColumn = 'parent' | 'children' | 'waitsFor' | 'blocks' | 'related';

/** All links, each once. */
export function linksOf(rows: readonly LinkRow[], references: TaskReferences, report: TableReport): TransferLink[] {
  const links = createLinks();
  const parents = new Map<string, Set<string>>();
  const outline = parentsByOutline(rows);
  const addParent = (child: string, parent: string) => {
    if (child !== parent) parents.set(child, (parents.get(child) ?? new Set()).add(parent));
    links.add(blockingLink(child, parent));
  };
  for (const row of rows) {
    const named = tasksOf(row, 'parent', references, report);
    for (const { key } of named) addParent(row.key, key);
    for (const { key } of tasksOf(row, 'children', references, report)) addParent(key, row.key);
    const parent = outline.get(row.key);
    if (named.length === 0 && parent !== undefined) addParent(row.key, parent);
  }
  const isAbove = ancestorTest(parents);
  const addBlocker = (source: string, target: string, row: LinkRow, name: string) => {
    if (isAbove(source, target))
      report.reportUnreadable('a dependency on a task that waits for this one as its parent', row.line, name);
    else links.add(blockingLink(source, target));
  };
  const summaries = new Set(outline.values());
  for (const row of rows) {
    if (summaries.has(row.key) && row.cells('waitsFor').some((cell) => !isBlank(cell)))
      report.reportLoss(BLOCKED_PARENT, row.line);
    for (const column of ['waitsFor', 'blocks', 'related'] as const) {
      for (const { key, task } of tasksOf(row, column, references, report)) {
        const relation = task.relation ?? column;
        if (relation === 'related' || task.type !== 'FS') links.add(relatedLink(key, row.key));
        else if (relation === 'waitsFor') addBlocker(key, row.key, row, task.name);
        else addBlocker(row.key, key, row, task.name);
      }
    }
  }
  return links.list;
}

interface LinkMatch {
  readonly key: string;
  readonly task: TaskReference;
}

function tasksOf(row: LinkRow, column: LinkColumn, references: TaskReferences, report: TableReport): LinkMatch[] {
  return row.cells(column).flatMap((cell) =>
    tasksIn(cell, row.line, references).flatMap((task) => {
      const { found, name, type, lag } = task;
      if (found === null) {
        report.reportUnreadable('no task of the file has this name', row.line, name);
        return [];
      }
      if (found === 'several') {
        report.reportUnreadable('several tasks of the file have this name', row.line, name);
        return [];
      }
      if (found.byRow)
        report.losses.noteOnce('tasks that are named by the numbers of their rows', `the field ${column}`);
      if (type !== 'FS') report.reportLoss(otherTypeNote(type), row.line, name);
      if (lag !== '') report.reportLoss('the lag of a dependency', row.line, name);
      if (
        task.relation !== null &&
        column === 'related' &&
        !/^(?:blocks|blocked|is blocked|depends|precedes|follows|relate)/i.test(name)
      )
        report.reportLoss('the kind of a relation', row.line, name);
      return [{ key: found.key, task }];
    }),
  );
}

/** Ancestors of one task that are compared. A cycle beyond them is refused with its tasks. */
const MAXIMUM_ANCESTORS = 200;

/** Whether a task waits for another one as its parent, directly or over several levels. */
function ancestorTest(parents: ReadonlyMap<string, ReadonlySet<string>>): (above: string, below: string) => boolean {
  return (above, below) => {
    const found = new Set([below]);
    // The set grows during this walk.
    for (const key of found) {
      for (const parent of parents.get(key) ?? []) {
        if (parent === above) return true;
        if (found.size === MAXIMUM_ANCESTORS) return false;
        found.add(parent);
      }
    }
    return false;
  };
}
