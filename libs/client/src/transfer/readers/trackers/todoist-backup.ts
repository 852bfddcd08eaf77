// Reads the files of a backup of Todoist, one template in CSV for each project. Rules: IO2, IO8.
import { blockingLink } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode } from '../../graph/node-draft.ts';
import {
  BrokenFile,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from '../../graph/transfer-graph.ts';
import { readTodoist } from './todoist.ts';

/** A file of a backup. */
export interface BackupFile {
  /** Its path in the archive. */
  readonly name: string;
  readonly text: string;
}

/** Reads a backup. Each project becomes a task that its tasks block. Throws a BrokenFile. */
export function readTodoistBackup(files: readonly BackupFile[]): TransferGraph {
  const losses = createLossReport();
  const nodes: TransferNode[] = [];
  const links: TransferLink[] = [];
  for (const [index, file] of files.entries()) {
    const project = `project ${index}`;
    const keyOf = (key: string) => `${project} ${key}`;
    const graph = projectIn(file);
    reportLosses(graph, file, losses);
    const sources = new Set(graph.links.map(({ source }) => source));
    for (const node of graph.nodes) {
      // A line means nothing without its file.
      nodes.push({ ...node, key: keyOf(node.key), line: null });
      if (!sources.has(node.key)) links.push(blockingLink(keyOf(node.key), project));
    }
    for (const link of graph.links) links.push({ ...link, source: keyOf(link.source), target: keyOf(link.target) });
    nodes.push(fitNode({ key: project, line: null, title: projectName(file.name) }, losses));
    if (nodes.length > TRANSFER_BOUNDS.nodes)
      throw new BrokenFile(null, `it has more than ${TRANSFER_BOUNDS.nodes} tasks`);
  }
  return { nodes, links, leftOut: losses.list() };
}

/** The tasks of a project. A project without tasks may have an empty file. */
function projectIn({ name, text }: BackupFile): TransferGraph {
  if (text.replace('\uFEFF', '').trim() === '') return { nodes: [], links: [], leftOut: [] };
  try {
    return readTodoist(text);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    throw new BrokenFile(null, `in the file ${name.slice(0, MAXIMUM_NAME_LENGTH)}, ${error.message}`);
  }
}

/** Characters of the name of a file in a message. */
const MAXIMUM_NAME_LENGTH = 100;

function reportLosses({ leftOut }: TransferGraph, { name }: BackupFile, losses: LossReport): void {
  for (const { what, places } of leftOut) for (const place of places) losses.note(what, `${name}: ${place}`);
}

/** Ids of old and of new releases. */
const IDS = [/^\d{6,}$/, /^[0-9A-Za-z]{16}$/];

/** Todoist names the files `Home [2203306141].csv`, by the project and its id. */
function projectName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.csv$/i, '');
  const start = name.lastIndexOf(' [');
  if (start < 0 || !name.endsWith(']')) return name;
  const id = name.slice(start + 2, -1);
  return IDS.some((form) => form.test(id)) ? name.slice(0, start) : name;
}
