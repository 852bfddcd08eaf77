// Reads the tasks of a Turborepo configuration (`turbo.json`) and their `dependsOn`. Rules: IO2, IO9.

import { CONFIGURATION_FIELDS, TASK_FIELDS } from '../../fields/plans/turbo.ts';
import { reportFields } from '../../fields/source-field.ts';
import { addLink, blockingLink } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import {
  BrokenFile,
  excerpt,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
} from '../../graph/transfer-graph.ts';
import { withoutComments } from '../../text/json-comments.ts';
import { type JsonCursor, readJson } from '../../text/json-cursor.ts';

/** Characters of a configuration. */
const MAXIMUM_LENGTH = 1024 * 1024;

/** Reads a configuration. A task blocks the tasks that depend on it. Throws a BrokenFile. */
export function readTurbo(text: string): TransferGraph {
  if (text.length > MAXIMUM_LENGTH)
    throw new BrokenFile(null, `a configuration has more than ${MAXIMUM_LENGTH} characters`);
  const root = readJson(withoutComments(text)).object('the file');
  const losses = createLossReport();
  reportFields(root.value, CONFIGURATION_FIELDS, 'the configuration', losses);
  const drafts = new Map<string, NodeDraft>();
  const tasks: { readonly name: string; readonly task: JsonCursor }[] = [];
  for (const field of ['tasks', 'pipeline']) {
    const list = root.at(field);
    if (!list.isThere()) continue;
    for (const name of list.object(`"${field}"`).names()) {
      const task = list.at(name).object(`the task ${excerpt(name)}`);
      if (drafts.has(name)) task.refuse(`two tasks have the name ${excerpt(name)}`);
      if (drafts.size === TRANSFER_BOUNDS.nodes) task.refuse(`there are more than ${TRANSFER_BOUNDS.nodes} tasks`);
      const description = task.at('description').text('"description"');
      drafts.set(name, { key: name, line: task.line, title: name, description });
      tasks.push({ name, task });
    }
  }
  if (!root.at('tasks').isThere() && !root.at('pipeline').isThere()) root.refuse('it has no "tasks"');
  const links: TransferLink[] = [];
  for (const { name, task } of tasks) {
    const place = `${excerpt(name)} (line ${task.line})`;
    reportFields(task.value, TASK_FIELDS, place, losses);
    if (task.at('dependsOn').isThere()) addDependencies({ name, task, place }, drafts, { links, losses });
  }
  return { nodes: [...drafts.values()].map((draft) => fitNode(draft, losses)), links, leftOut: losses.list() };
}

interface Dependent {
  readonly name: string;
  readonly task: JsonCursor;
  readonly place: string;
}

/**
 * `^build` is the task of the packages on which a package depends, `$NAME` a variable of the
 * environment, and `build` the task of the same package.
 */
function addDependencies(
  { name, task, place }: Dependent,
  drafts: ReadonlyMap<string, NodeDraft>,
  { links, losses }: { links: TransferLink[]; losses: LossReport },
): void {
  const ends = name.lastIndexOf('#');
  const ownPackage = ends < 0 ? '' : name.slice(0, ends + 1);
  for (const each of task.at('dependsOn').list('"dependsOn"', TRANSFER_BOUNDS.links)) {
    const dependency = each.text('an entry of "dependsOn"');
    const arrow = `${excerpt(dependency)} → ${place}`;
    const source = drafts.has(`${ownPackage}${dependency}`) ? `${ownPackage}${dependency}` : dependency;
    if (dependency.startsWith('^')) losses.note('a dependency on a task of other packages', arrow);
    else if (dependency.startsWith('$')) losses.note('a dependency on a variable of the environment', arrow);
    else if (!drafts.has(source)) losses.note('a dependency on a task that is not in the file', arrow);
    else addLink(links, blockingLink(source, name));
  }
}
