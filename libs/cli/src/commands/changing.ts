// add, edit, start, done, trash and restore: what becomes of nodes.
import type { Calls, CommandName } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, Shared } from '../context.ts';
import { CliError } from '../failures.ts';
import type { Graph } from '../graph/graph.ts';
import { Status } from '../graph/questions.ts';
import { findNode } from '../graph/references.ts';
import { changeLines } from '../output/nodes.ts';
import { progressOn } from '../output/progress.ts';
import { dueFlag } from '../service/times.ts';

interface Fields {
  readonly title?: string;
  readonly description?: string;
  readonly due?: string;
  readonly tag?: string[];
  readonly priority?: string;
  readonly volume?: string;
  readonly assignee?: string[];
  readonly under?: string;
}

export function addChangingCommands(program: Command, context: Context, shared: () => Shared): void {
  withFields(program.command('add').description('add a node').argument('<title...>', 'its title'))
    .option('--under <node>', 'the parent, which it blocks until it is completed')
    .action(async (title: string[], options: Fields) => {
      const target = options.under === undefined ? undefined : (await context.node(options.under)).id;
      const payload = { title: title.join(' '), ...payloadOf(options), ...(target === undefined ? {} : { target }) };
      await change(context, shared(), 'node:add', payload);
    });
  withFields(program.command('edit').description('change the fields of a node').argument('<node...>', 'the node'))
    .option('--title <title>', 'its title')
    .action(async (words: string[], options: Fields) => {
      const { id } = await context.node(words.join(' '));
      const title = options.title === undefined ? {} : { title: options.title };
      await change(context, shared(), 'node:update', { id, ...title, ...payloadOf(options) });
    });
  const steps = [
    ['start', 'begin nodes', { status: Status.IN_PROGRESS }],
    ['done', 'complete nodes', { status: Status.COMPLETED }],
    ['stop', 'make nodes available again', { status: Status.AVAILABLE }],
  ] as const;
  for (const [name, description, fields] of steps) {
    program
      .command(name)
      .description(description)
      .argument('<node...>', 'the nodes, one word each')
      .action((words: string[]) => changeEach(context, shared(), words, 'node:update', fields));
  }
  program
    .command('trash')
    .description('move nodes to the trash')
    .argument('<node...>', 'the nodes, one word each')
    .action((words: string[]) => changeEach(context, shared(), words, 'node:trash', {}));
  program
    .command('restore')
    .description('restore nodes from the trash')
    .argument('<node...>', 'the nodes, one word each; see taskgraph ls --trash')
    .action(async (words: string[]) => {
      const { nodes } = await context.call('trash:page', { limit: 1_000 });
      const ids = words.map((each) => findNode(nodes, each).id);
      await inTurn(context, shared(), ids, (id) => context.call('node:restore', { id }));
    });
}

function withFields(command: Command): Command {
  const several = (value: string, all: string[] = []) => [...all, value];
  return command
    .option('--description <text>', 'its description')
    .option('--due <time>', 'its due date, such as 2026-12-24; none removes it')
    .option('--tag <tag>', 'a tag; repeat the option for several', several)
    .option('--priority <number>', 'its urgency, 0 to 1000000')
    .option('--volume <number>', 'the amount of work, 0 to 1000000; taskgraph plan uses it')
    .option('--assignee <name>', 'an assignee; repeat the option for several', several);
}

function payloadOf({
  description,
  due,
  tag,
  priority,
  volume,
  assignee,
}: Fields): Omit<Calls['node:update']['payload'], 'id'> {
  return {
    ...(description === undefined ? {} : { description }),
    ...(due === undefined ? {} : { dueDate: dueFlag(due) }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(priority === undefined ? {} : { priority: numberOf(priority, 'priority') }),
    ...(volume === undefined ? {} : { volume: numberOf(volume, 'volume') }),
    ...(assignee === undefined ? {} : { assignee }),
  };
}

function numberOf(text: string, what: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new CliError('usage', `${text} is no ${what}.`, 'Give a whole number from 0 to 1000000.');
}

/** Makes one change, and says what it did. The titles of others come from the copy, where that was read anyway. */
export async function change<E extends CommandName>(
  context: Context,
  shared: Shared,
  event: E,
  payload: Calls[E]['payload'],
): Promise<void> {
  await inTurn(context, shared, [payload], (each) => context.call(event, each));
}

async function changeEach<E extends 'node:update' | 'node:trash'>(
  context: Context,
  shared: Shared,
  words: readonly string[],
  event: E,
  fields: object,
): Promise<void> {
  const ids = new Set<string>();
  // All are found before the first is changed.
  for (const each of words) ids.add((await context.node(each)).id);
  await inTurn(context, shared, [...ids], (id) => context.call(event, { id, ...fields }));
}

/** Does one after the other; a failure ends it, after what was done is told. */
export async function inTurn<T>(
  context: Context,
  shared: Shared,
  items: readonly T[],
  act: (item: T) => Promise<Calls[CommandName]['answer']>,
): Promise<void> {
  const graph = await titles(context);
  const progress = progressOn(context.output, 'done', items.length);
  const answers: Calls[CommandName]['answer'][] = [];
  try {
    for (const item of items) {
      answers.push(await act(item));
      progress.at(answers.length);
    }
  } finally {
    progress.end();
    const diffs = answers.map(({ diff }) => diff as Calls['node:add']['answer']['diff']);
    if (answers.length > 0) {
      context.show(shared, diffs.length === 1 ? diffs[0] : diffs, () =>
        diffs.flatMap((diff) => changeLines({ ...diff, access: diff.access ?? [] }, graph, context.output)),
      );
    }
  }
}

/** The copy for the titles of what follows, such as a parent that is Blocked now. */
async function titles(context: Context): Promise<Graph | null> {
  return context.known();
}
