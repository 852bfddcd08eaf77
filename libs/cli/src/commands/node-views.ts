// ls, tree, show, ready, blocked, search and open: views of nodes.
import { spawn } from 'node:child_process';
import { dueText, foldText, momentText } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { type Graph, STATUSES, type Task } from '../graph/graph.ts';
import { blockedIn, childrenOf, readyIn, rootsOf, searchIn, sortNodes } from '../graph/queries.ts';
import { nodeIn, shortIdsOf } from '../graph/references.ts';
import { nestedTree, treeOf } from '../graph/tree.ts';
import { nodeTable, statusText, treeLines } from '../output/nodes.ts';
import { tableOf } from '../output/table.ts';

const LINE_BREAK = /\r\n|[\n\r\u0085\u2028\u2029]/;
const LEVELS = ['owner', 'admin', 'editor', 'viewer'] as const;

export function addViewCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const { output } = context;
  program
    .command('ls')
    .description('list nodes')
    .option('--status <status>', 'only nodes with this status: available, inprogress, blocked or completed')
    .option('--tag <tag>', 'only nodes with this tag')
    .option('--trash', 'the nodes in the trash')
    .action(async ({ status, tag, trash }: { status?: string; tag?: string; trash?: boolean }) => {
      if (trash) return listTrash(context, globalOptions());
      const graph = await context.graph();
      const wanted = status === undefined ? undefined : statusOf(status);
      const nodes = sortNodes(graph.nodes.values()).filter(
        (node) =>
          (wanted === undefined || node.status === wanted) &&
          (tag === undefined || node.tags.some((each) => foldText(each) === foldText(tag))),
      );
      context.show(globalOptions(), nodes, () =>
        nodeTable(nodes, graph, output, 'There are no such nodes. Add one: taskgraph add TITLE'),
      );
    });
  program
    .command('tree')
    .description('show the tree below a node, or below all nodes without a parent')
    .argument('[node...]', 'the node')
    .option('--depth <levels>', 'the maximum number of levels', '64')
    .action(async (words: string[], { depth }: { depth: string }) => {
      const graph = await context.graph();
      const tops = words.length === 0 ? rootsOf(graph) : [nodeIn(graph, words.join(' '))];
      const maximumDepth = levelsOf(depth);
      if (globalOptions().json) context.show(globalOptions(), nestedTree(graph, tops, maximumDepth), () => []);
      else for (const line of treeLines(treeOf(graph, tops, maximumDepth), graph, output)) output.line(line);
    });
  program
    .command('show')
    .description('show a node in full')
    .argument('<node...>', 'the node')
    .action(async (words: string[]) => {
      const graph = await context.graph();
      const node = nodeIn(graph, words.join(' '));
      context.show(globalOptions(), node, () => detailsOf(node, graph, context));
    });
  program
    .command('ready')
    .description('list the tasks that can begin now, by due date')
    .action(async () => {
      const graph = await context.graph();
      const ready = readyIn(graph);
      context.show(globalOptions(), ready, () => nodeTable(ready, graph, output, 'No task can begin now.'));
    });
  program
    .command('blocked')
    .description('list blocked nodes and their blockers')
    .action(async () => {
      const graph = await context.graph();
      const blocked = blockedIn(graph);
      const values = blocked.map(({ node, blockers }) => ({ ...node, blockers: blockers.map(({ id }) => id) }));
      context.show(globalOptions(), values, () => {
        if (blocked.length === 0) return [output.paint.dim('No node is blocked.')];
        const shortId = shortIdsOf(graph.nodes.values());
        const rows = blocked.map(({ node, blockers }) => [
          output.paint.cyan(shortId(node.id)),
          node.title,
          blockers.map(({ title }) => title).join(', ') || output.paint.dim('a node that you cannot see'),
        ]);
        return tableOf(rows, {
          heads: ['id', 'title', 'waits for'],
          columns: output.columns,
          paintHead: output.paint.bold,
        });
      });
    });
  program
    .command('search')
    .description('find nodes by words in their title, tags and description')
    .argument('<words...>', 'the words; all must match')
    .action(async (words: string[]) => {
      const graph = await context.graph();
      const found = searchIn(graph, words);
      context.show(globalOptions(), found, () => nodeTable(found, graph, output, 'No node has all of these words.'));
    });
  program
    .command('open')
    .description('open the API reference in a browser, or the public page of a node')
    .argument('[node...]', 'a node that is published')
    .option('--print', 'print the address instead')
    .action(async (words: string[], { print }: { print?: boolean }) => {
      const { url } = await context.account();
      const address = new URL(words.length === 0 ? '/docs' : publicPath(await context.graph(), words), url).href;
      if (!print && output.isInteractive) openInBrowser(address);
      context.show(globalOptions(), { url: address }, () => [address]);
    });
}

function statusOf(word: string): number {
  const found = STATUSES.findIndex((status) => foldText(status) === foldText(word).replaceAll(/[ _-]/g, ''));
  if (found >= 0) return found;
  throw new CliError('usage', `There is no status ${word}.`, `It is one of ${STATUSES.join(', ')}.`);
}

/** Readers and writers of JSON recurse once per level. */
const MAXIMUM_LEVELS = 1_000;

function levelsOf(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0 && number <= MAXIMUM_LEVELS) return number;
  const remedy = `Give a whole number up to ${MAXIMUM_LEVELS}, such as --depth 2.`;
  throw new CliError('usage', `${text} is not a valid number of levels.`, remedy);
}

function detailsOf(node: Task, graph: Graph, { output }: Context): string[] {
  const { paint } = output;
  const shortId = shortIdsOf(graph.nodes.values());
  const named = (nodes: readonly Task[]) =>
    nodes.map(({ id, title, status }) => `${paint.cyan(shortId(id))} ${statusText(status, paint)} ${title}`);
  const parents = graph.linksFrom(node.id).flatMap(({ target }) => graph.nodes.get(target) ?? []);
  const facts: readonly (readonly [name: string, value: string | readonly string[]])[] = [
    ['id', node.id],
    ['status', statusText(node.status, paint)],
    ['due', node.dueDate === null ? '' : dueText(node.dueDate)],
    ['priority', node.priority === 0 ? '' : String(node.priority)],
    ['volume', node.volume === 0 ? '' : String(node.volume)],
    ['tags', node.tags.join(', ')],
    ['assignee', (node.assignee ?? []).join(', ')],
    ['owner', node.ownerEmail ?? ''],
    ['you are', LEVELS[node.access ?? 0] ?? ''],
    [
      'published',
      node.publicToken ? `${node.publicToken}${node.publicDue ? ` until ${momentText(node.publicDue)}` : ''}` : '',
    ],
    ['changed', momentText(node.lastEditedTime)],
    ['completed', node.completedTime ? momentText(node.completedTime) : ''],
    ['below', named(sortNodes(parents))],
    ['has', named(childrenOf(graph, node.id))],
  ];
  const lines = facts.flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((each) => each !== '')
      .map((each, index) => `${paint.dim((index === 0 ? name : '').padEnd(12))} ${each}`),
  );
  const description = node.description === '' ? [] : ['', ...node.description.split(LINE_BREAK)];
  return [paint.bold(node.title), ...lines, ...description];
}

async function listTrash(context: Context, globalOptions: GlobalOptions): Promise<void> {
  const { output } = context;
  const page = await context.call('trash:page', { limit: 1_000 });
  context.show(globalOptions, page, () => {
    if (page.nodes.length === 0) return [output.paint.dim('The trash has no nodes.')];
    const shortId = shortIdsOf(page.nodes);
    const rows = page.nodes.map(({ id, lastEditedTime, title }) => [
      output.paint.cyan(shortId(id)),
      momentText(lastEditedTime),
      title,
    ]);
    return tableOf(rows, { heads: ['id', 'since', 'title'], columns: output.columns, paintHead: output.paint.bold });
  });
}

function publicPath(graph: Graph, words: readonly string[]): string {
  const node = nodeIn(graph, words.join(' '));
  if (node.publicToken) return `/api/branch?root=${encodeURIComponent(node.publicToken)}`;
  throw new CliError('conflict', `${node.title} is not published.`, `Publish it: taskgraph publish ${node.id}`);
}

/** Opens the address in a browser. If the system has no opener, the printed address remains. */
function openInBrowser(address: string): void {
  const program = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open';
  const child = spawn(program, [address], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
