// ls, tree, show, ready, blocked, search and open: views of nodes.
import { spawn } from 'node:child_process';
import { dueText, foldText, momentText } from '@taskgraph/client';
import { type Command, Option } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { type Graph, STATUSES, type Task } from '../graph/graph.ts';
import { isMe, listIn, SORT_FIELDS, type SortField } from '../graph/node-list.ts';
import { blockedIn, childrenOf, readyIn, rootsOf, searchIn, sortNodes } from '../graph/queries.ts';
import { nodeIn, shortIdsOf } from '../graph/references.ts';
import { nestedTree, treeOf } from '../graph/tree.ts';
import { nodeTable, statusText, treeLines } from '../output/nodes.ts';
import { tableOf } from '../output/table.ts';
import { dueFlag } from '../service/times.ts';

const LINE_BREAK = /\r\n|[\n\r\u0085\u2028\u2029]/;
const LEVELS = ['owner', 'admin', 'editor', 'viewer'] as const;

interface ListFlags {
  readonly status?: string;
  readonly tag?: string;
  readonly due?: string;
  readonly overdue?: boolean;
  readonly assignee?: string;
  readonly sort?: SortField;
  readonly desc?: boolean;
  readonly limit?: string;
  readonly trash?: boolean;
}

export function addViewCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const { output } = context;
  program
    .command('ls')
    .description('list nodes')
    .option('--status <status>', 'only nodes with this status: available, inprogress, blocked or completed')
    .option('--tag <tag>', 'only nodes with this tag')
    .option(
      '--due <day>',
      'only nodes that are due by the end of this day, such as 2026-12-24; "none": without a due date',
    )
    .option('--overdue', 'only open nodes that are past their due date')
    .option('--assignee <name>', 'only nodes of this assignee; "me" means you')
    .addOption(new Option('--sort <field>', 'the order').choices(SORT_FIELDS))
    .option('--desc', 'the reverse order; with --sort')
    .option('--limit <number>', 'the maximum number of nodes')
    .option('--trash', 'the nodes in the trash')
    .action(async ({ trash, ...flags }: ListFlags) => {
      if (trash) return listTrash(context, globalOptions(), flags);
      const { graph, nodes } = await listNodes(context, flags);
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
    .argument('<words...>', 'up to 10 words; each must begin a word of the node')
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

async function listNodes(context: Context, flags: ListFlags): Promise<{ graph: Graph; nodes: Task[] }> {
  const { tag, overdue, assignee, sort, desc } = flags;
  if (desc && sort === undefined)
    throw new CliError('usage', '--desc needs --sort.', 'For example: taskgraph ls --sort priority --desc');
  const status = flags.status === undefined ? undefined : statusOf(flags.status);
  const due = flags.due === undefined ? undefined : dueFlag(flags.due);
  const limit = flags.limit === undefined ? undefined : limitOf(flags.limit);
  const graph = await context.graph();
  if (assignee !== undefined && isMe(assignee) && graph.username === null)
    throw new CliError('usage', 'The local copy does not contain your username.', 'Give it: --assignee NAME');
  const order = { sort, isDescending: desc };
  const nodes = listIn(graph, { status, tag, assignee, due, overdue }, order, Date.now());
  return { graph, nodes: nodes.slice(0, limit) };
}

function limitOf(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new CliError('usage', `${JSON.stringify(text)} is not a number of nodes.`, 'For example: --limit 10');
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

/** Who claims a node, and until when; empty if the claim has ended. */
function claimText({ claimedBy, claimUntil }: Task): string {
  if (claimedBy == null || claimUntil == null || Date.parse(claimUntil) <= Date.now()) return '';
  return `by ${claimedBy} until ${momentText(claimUntil)}`;
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
    ['claimed', claimText(node)],
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

async function listTrash(context: Context, globalOptions: GlobalOptions, others: object): Promise<void> {
  if (Object.keys(others).length > 0)
    throw new CliError('usage', '--trash takes no other options.', 'List the trash: taskgraph ls --trash');
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
