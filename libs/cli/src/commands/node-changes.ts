// add, edit, start, done, stop, trash and restore: changes to nodes.
import type { Calls, CommandName } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { Status } from '../graph/queries.ts';
import { findNode } from '../graph/references.ts';
import { changeLines } from '../output/nodes.ts';
import { createProgress } from '../output/progress.ts';
import { dueFlag } from '../service/times.ts';

interface NodeFlags {
  readonly title?: string;
  readonly description?: string;
  readonly due?: string;
  readonly tag?: string[];
  readonly priority?: string;
  readonly volume?: string;
  readonly assignee?: string[];
  readonly under?: string;
  readonly claim?: string;
}

export function addNodeCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  addFieldOptions(program.command('add').description('add a node').argument('<title...>', 'its title'))
    .option('--under <node>', 'the parent, which it blocks until it is completed')
    .action(async (title: string[], options: NodeFlags) => {
      const target = options.under === undefined ? undefined : (await context.node(options.under)).id;
      const payload = { title: title.join(' '), ...payloadOf(options), ...(target === undefined ? {} : { target }) };
      await execute(context, globalOptions(), 'node:add', payload);
    });
  addFieldOptions(program.command('edit').description('change the fields of a node').argument('<node...>', 'the node'))
    .option('--title <title>', 'its title')
    .option('--claim <id>', CLAIM)
    .action(async (words: string[], options: NodeFlags) => {
      const { id } = await context.node(words.join(' '));
      const title = options.title === undefined ? {} : { title: options.title };
      await execute(context, globalOptions(), 'node:update', {
        id,
        ...title,
        ...payloadOf(options),
        ...claimIn(options),
      });
    });
  const statusCommands = [
    ['start', 'begin nodes', { status: Status.IN_PROGRESS }],
    ['done', 'complete nodes', { status: Status.COMPLETED }],
    ['stop', 'make nodes available again', { status: Status.AVAILABLE }],
  ] as const;
  for (const [name, description, fields] of statusCommands) {
    program
      .command(name)
      .description(description)
      .argument('<node...>', 'the nodes, one word each')
      .option('--claim <id>', CLAIM)
      .action((words: string[], options: NodeFlags) =>
        executeForNodes(context, globalOptions(), words, 'node:update', { ...fields, ...claimIn(options) }),
      );
  }
  program
    .command('trash')
    .description('move nodes to the trash')
    .argument('<node...>', 'the nodes, one word each')
    .action((words: string[]) => executeForNodes(context, globalOptions(), words, 'node:trash', {}));
  program
    .command('restore')
    .description('restore nodes from the trash')
    .argument('<node...>', 'the nodes, one word each; see taskgraph ls --trash')
    .action(async (words: string[]) => {
      const { nodes } = await context.call('trash:page', { limit: 1_000 });
      const ids = words.map((each) => findNode(nodes, each).id);
      await executeInSequence(context, globalOptions(), ids, (id) => context.call('node:restore', { id }));
    });
}

const CLAIM = 'only while this claim of yours is in force';

function claimIn({ claim }: NodeFlags): { claim?: string } {
  return claim === undefined ? {} : { claim };
}

function addFieldOptions(command: Command): Command {
  const collect = (value: string, all: string[] = []) => [...all, value];
  return command
    .option('--description <text>', 'its description')
    .option('--due <time>', 'its due date, such as 2026-12-24; none removes it')
    .option('--tag <tag>', 'a tag; repeat the option for several', collect)
    .option('--priority <number>', 'its urgency, 0 to 1000000')
    .option('--volume <number>', 'the amount of work, 0 to 1000000; taskgraph plan uses it')
    .option('--assignee <name>', 'an assignee; repeat the option for several', collect);
}

function payloadOf({
  description,
  due,
  tag,
  priority,
  volume,
  assignee,
}: NodeFlags): Omit<Calls['node:update']['payload'], 'id'> {
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
  throw new CliError('usage', `${text} is not a valid ${what}.`, 'Give a whole number from 0 to 1000000.');
}

/** Executes one command and prints its diff. The titles of other nodes come from the local copy. */
export async function execute<E extends CommandName>(
  context: Context,
  globalOptions: GlobalOptions,
  event: E,
  payload: Calls[E]['payload'],
): Promise<void> {
  await executeInSequence(context, globalOptions, [payload], (each) => context.call(event, each));
}

async function executeForNodes<E extends 'node:update' | 'node:trash'>(
  context: Context,
  globalOptions: GlobalOptions,
  words: readonly string[],
  event: E,
  fields: object,
): Promise<void> {
  const ids = new Set<string>();
  // Resolve every node before the first change.
  for (const each of words) ids.add((await context.node(each)).id);
  await executeInSequence(context, globalOptions, [...ids], (id) => context.call(event, { id, ...fields }));
}

/** Executes commands in sequence and prints their diffs. The first failure stops the sequence. */
export async function executeInSequence<T>(
  context: Context,
  globalOptions: GlobalOptions,
  items: readonly T[],
  act: (item: T) => Promise<Calls[CommandName]['answer']>,
): Promise<void> {
  // The diff may name other nodes, such as a parent that becomes Blocked.
  const graph = await context.localGraph();
  const progress = createProgress(context.output, 'done', items.length);
  const answers: Calls[CommandName]['answer'][] = [];
  try {
    for (const item of items) {
      answers.push(await act(item));
      progress.update(answers.length);
    }
  } finally {
    progress.end();
    const diffs = answers.map(({ diff }) => diff as Calls['node:add']['answer']['diff']);
    if (answers.length > 0) {
      context.show(globalOptions, diffs.length === 1 ? diffs[0] : diffs, () =>
        diffs.flatMap((diff) => changeLines({ ...diff, access: diff.access ?? [] }, graph, context.output)),
      );
    }
  }
}
