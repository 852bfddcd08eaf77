// history, undo and redo: the batches of the graph, and their reversal.
import type { Calls, HistoryBatch } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import type { Graph } from '../graph/graph.ts';
import { changeLines, NODE_PUBLICATION, publicationChange } from '../output/nodes.ts';
import { sinceFlag } from '../service/times.ts';

/** Batches that undo and redo examine to find the caller's last one. */
const MAXIMUM_EXAMINED = 1_000;
const SHORT_DIGITS = 8;
/** Names of operations by the codes of the service. */
const OPERATION_NAMES: Readonly<Record<number, string>> = {
  0: 'add',
  1: 'edit',
  2: 'status',
  3: 'trash',
  4: 'restore',
  5: 'delete',
  6: 'publish',
  10: 'link',
  11: 'edit link',
  12: 'unlink',
  13: 'restore link',
  14: 'delete link',
  15: 'reverse link',
  20: 'share',
  21: 'edit grant',
  22: 'end grant',
};

const PUBLICATION_NAMES = { begun: 'publish', ended: 'end publication', changed: 'edit publication' } as const;

const EXAMPLE_NAMES = 'add,status';

interface HistoryOptions {
  readonly limit: string;
  readonly oldest?: true;
  readonly since?: string;
  readonly actor?: string;
  readonly ops?: string;
}

/** The codes of operations by their names, which are separated by commas. */
function codesOf(names: string): number[] {
  return names.split(',').map((name) => {
    const found = Object.entries(OPERATION_NAMES).find(([, each]) => each === name.trim().toLowerCase());
    if (found !== undefined) return Number(found[0]);
    const known = Object.values(OPERATION_NAMES).join(', ');
    throw new CliError('usage', `There is no operation ${JSON.stringify(name.trim())}.`, `Name some of: ${known}.`);
  });
}

export function addHistoryCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  program
    .command('history')
    .description('list changes, newest first')
    .argument('[node...]', 'only changes of this node')
    .option('--limit <number>', 'the maximum number', '20')
    .option('--oldest', 'oldest first, without the changes of the last seconds')
    .option('--since <time>', 'only changes since then, such as 2026-12-24 or 2026-12-24T18:00')
    .option('--actor <names>', 'only changes of these users, such as bob,carol')
    .option('--ops <names>', `only changes with one of these operations, such as ${EXAMPLE_NAMES}`)
    .action(async (words: string[], { limit, oldest, since, actor, ops }: HistoryOptions) => {
      const scope = words.length === 0 ? {} : { scopeType: 'NODE', scopeId: (await context.node(words.join(' '))).id };
      const filters = {
        ...(oldest ? { order: 'oldest' } : {}),
        ...(since === undefined ? {} : { since: sinceFlag(since) }),
        ...(actor === undefined ? {} : { actor: actor.split(',').map((name) => name.trim()) }),
        ...(ops === undefined ? {} : { ops: codesOf(ops) }),
      };
      const batches = await historyOf(context, { ...scope, ...filters, limit: Number(limit) });
      const graph = await context.localGraph();
      context.show(globalOptions(), batches, () => batches.map((batch) => lineOf(batch, graph, context)));
    });
  const reversals = [
    [
      'undo',
      'batch:undo',
      'undo your last change, or the given one',
      (batch: HistoryBatch) => !batch.undone && !batch.undoOf,
    ],
    ['redo', 'batch:redo', 'redo your last undone change, or the given one', (batch: HistoryBatch) => batch.undone],
  ] as const;
  for (const [name, event, description, isCandidate] of reversals) {
    program
      .command(name)
      .description(description)
      .argument('[batch]', 'its id, or the end of the id as history lists it')
      .action(async (word: string | undefined) => {
        const batchId = await batchOf(context, word, isCandidate);
        const { diff } = await context.call(event, { batchId });
        const graph = await context.localGraph();
        context.show(globalOptions(), diff, () =>
          changeLines({ ...diff, access: diff.access ?? [] }, graph, context.output),
        );
      });
  }
}

/** The type of the payload requires a scope, but REST does not. */
async function historyOf(context: Context, query: object): Promise<readonly HistoryBatch[]> {
  return (await context.call('history:page', query as Calls['history:page']['payload'])).batches;
}

async function batchOf(
  context: Context,
  word: string | undefined,
  isCandidate: (batch: HistoryBatch) => boolean,
): Promise<string> {
  const batches = await historyOf(context, { limit: MAXIMUM_EXAMINED });
  if (word === undefined) {
    const { user } = await context.request<{ user: { email: string } }>('GET', '/api/me');
    const last = batches.find((batch) => batch.actor.email === user.email && isCandidate(batch));
    if (last !== undefined) return last.batchId;
    throw new CliError('notFound', 'You have no recent change of that kind.', 'List changes: taskgraph history');
  }
  const wanted = word.toLowerCase();
  const found = batches.filter(({ batchId }) => batchId === wanted || batchId.replaceAll('-', '').endsWith(wanted));
  if (found.length === 1) return found[0]?.batchId ?? '';
  throw new CliError('notFound', `${word} does not identify one batch.`, 'List changes: taskgraph history');
}

function lineOf(
  { batchId, actor, ts, undone, undoOf, redoOf, ops }: HistoryBatch,
  graph: Graph | null,
  { output }: Context,
): string {
  const { paint } = output;
  const named = ops.map(({ type, entityId, forwardPatch }) => {
    const title = String(forwardPatch.Title ?? graph?.nodes.get(entityId)?.title ?? '');
    const name =
      type === NODE_PUBLICATION
        ? PUBLICATION_NAMES[publicationChange(forwardPatch.PublicToken)]
        : (OPERATION_NAMES[type] ?? type);
    return `${name}${title === '' ? '' : ` "${title}"`}`;
  });
  const prefix = undoOf ? 'undo: ' : redoOf ? 'redo: ' : '';
  const text = `${prefix}${named.join(', ')}`;
  const at = new Date(ts).toLocaleString();
  const line = `${paint.cyan(batchId.slice(-SHORT_DIGITS))}  ${at}  ${actor.username}  ${undone ? paint.dim(`${text} (undone)`) : text}`;
  return line;
}
