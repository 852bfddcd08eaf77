// why: the blockers of a node, the first steps to complete it, and the access of users to it.
import { type Calls, momentText } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import type { Graph } from '../graph/graph.ts';
import { nodeIn, shortIdsOf } from '../graph/references.ts';
import { statusText } from '../output/nodes.ts';

type Why = Calls['node:why']['answer'];
type AccessReason = Why['access'][number];

const LEVELS = ['owner', 'admin', 'editor', 'viewer'] as const;

export function addWhy(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  program
    .command('why')
    .description('explain a node: its blockers, the first steps, and who sees it')
    .argument('<node...>', 'the node')
    .option('--all', 'also the access of other users, as far as you may list it')
    .action(async (words: string[], { all = false }: { all?: boolean }) => {
      const graph = await context.graph();
      const node = nodeIn(graph, words.join(' '));
      const why = await context.call('node:why', { id: node.id, all });
      context.show(globalOptions(), why, () => linesOf(node.id, why, graph, context));
    });
}

function linesOf(id: string, why: Why, graph: Graph, { output: { paint } }: Context): string[] {
  const shortId = shortIdsOf(graph.nodes.values());
  const titleOf = (each: string | null) => (each === null ? '…' : (graph.nodes.get(each)?.title ?? shortId(each)));
  const named = (each: string, status = graph.nodes.get(each)?.status) =>
    `${paint.cyan(shortId(each))} ${statusText(status, paint)} ${titleOf(each)}`;
  const blockers = [
    ...why.blockedBy.map((blocker) => named(blocker.id, blocker.status)),
    ...(why.hidden ? [paint.dim('a node that you cannot see')] : []),
  ];
  const more = why.truncated ? [paint.dim('The lists are incomplete.')] : [];
  return [
    paint.bold(titleOf(id)),
    ...section(blockers.length === 0 ? 'waits for nothing' : 'waits for', blockers),
    ...section(
      'first steps',
      why.workable.map((each) => named(each)),
    ),
    ...section(
      'visible',
      why.access.map((reason) => accessText(reason, titleOf)),
    ),
    ...more,
  ];
}

/** A heading with one line per item. Empty sections are omitted, except `waits for nothing`. */
function section(heading: string, items: readonly string[]): string[] {
  if (items.length === 0 && heading !== 'waits for nothing') return [];
  return [heading, ...items.map((item, index) => `${index === items.length - 1 ? '└─' : '├─'} ${item}`)];
}

function accessText({ level, by, due, path, email }: AccessReason, titleOf: (id: string | null) => string): string {
  const who = email === undefined ? '' : `${email ?? 'anyone with the public token'}: `;
  const root = titleOf(path.at(-1) ?? null);
  const reasons: Readonly<Record<AccessReason['by'], string>> = {
    owner: '',
    grant: ' by a grant on it',
    branch: ` by a grant on the branch ${root}`,
    tree: ` because it is below ${root}`,
    publication: ` by the publication of ${root}`,
  };
  const until = due === null ? '' : ` until ${momentText(due)}`;
  const along = path.length > 2 ? ` (${path.map(titleOf).join(' → ')})` : '';
  return `${who}as ${LEVELS[level]}${reasons[by]}${until}${along}`;
}
