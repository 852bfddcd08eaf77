// why: what a node waits for, what comes first, and who sees it in which ways.
import { type Calls, momentText } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, Shared } from '../context.ts';
import type { Graph } from '../graph/graph.ts';
import { nodeIn, shortIdsOf } from '../graph/references.ts';
import { statusText } from '../output/nodes.ts';

type Why = Calls['node:why']['answer'];
type Way = Why['access'][number];

const LEVELS = ['owner', 'admin', 'editor', 'viewer'] as const;

export function addExplainingCommands(program: Command, context: Context, shared: () => Shared): void {
  program
    .command('why')
    .description('explain a node: its blockers, the first steps, and who sees it')
    .argument('<node...>', 'the node')
    .option('--all', 'also the access of other users, as far as you may list it')
    .action(async (words: string[], { all = false }: { all?: boolean }) => {
      const graph = await context.graph();
      const node = nodeIn(graph, words.join(' '));
      const why = await context.call('node:why', { id: node.id, all });
      context.show(shared(), why, () => linesOf(node.id, why, graph, context));
    });
}

function linesOf(id: string, why: Why, graph: Graph, { output: { paint } }: Context): string[] {
  const shortId = shortIdsOf(graph.nodes.values());
  const titleOf = (each: string | null) => (each === null ? '…' : (graph.nodes.get(each)?.title ?? shortId(each)));
  const named = (each: string, status = graph.nodes.get(each)?.status) =>
    `${paint.cyan(shortId(each))} ${statusText(status, paint)} ${titleOf(each)}`;
  const blockers = [
    ...why.blockedBy.map((blocker) => named(blocker.id, blocker.status)),
    ...(why.hidden ? [paint.dim('something that you do not see')] : []),
  ];
  const more = why.truncated ? [paint.dim('There is more than is shown.')] : [];
  return [
    paint.bold(titleOf(id)),
    ...branchesOf(blockers.length === 0 ? 'waits for nothing' : 'waits for', blockers),
    ...branchesOf(
      'what comes first',
      why.workable.map((each) => named(each)),
    ),
    ...branchesOf(
      'is seen',
      why.access.map((way) => wayText(way, titleOf)),
    ),
    ...more,
  ];
}

/** A heading with a line for each of its items; nothing where a list of that name is empty. */
function branchesOf(heading: string, items: readonly string[]): string[] {
  if (items.length === 0 && heading !== 'waits for nothing') return [];
  return [heading, ...items.map((item, index) => `${index === items.length - 1 ? '└─' : '├─'} ${item}`)];
}

function wayText({ level, by, due, path, email }: Way, titleOf: (id: string | null) => string): string {
  const who = email === undefined ? '' : `${email ?? 'who has the public token'}: `;
  const root = titleOf(path.at(-1) ?? null);
  const ways: Readonly<Record<Way['by'], string>> = {
    owner: '',
    grant: ' by a grant on it',
    branch: ` by a grant on the branch ${root}`,
    tree: ` since it hangs below ${root}`,
    publication: ` by the publication of ${root}`,
  };
  const until = due === null ? '' : ` until ${momentText(due)}`;
  const along = path.length > 2 ? ` (${path.map(titleOf).join(' → ')})` : '';
  return `${who}as ${LEVELS[level]}${ways[by]}${until}${along}`;
}
