// history, undo and redo: what was done, and taking it back.
import type { Calls, HistoryBatch } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, Shared } from '../context.ts';
import { CliError } from '../failures.ts';
import type { Graph } from '../graph/graph.ts';
import { changeLines, NODE_PUBLICATION, publicationChange } from '../output/nodes.ts';

/** Batches that a search for the last one of one's own looks at. */
const LOOKED_AT = 1_000;
const SHORT_DIGITS = 8;
/** Names of operations by their codes, as the service counts them. */
const NAMES: Readonly<Record<number, string>> = {
  ...{ 0: 'add', 1: 'edit', 2: 'status', 3: 'trash', 4: 'restore', 5: 'delete' },
  ...{ 10: 'link', 11: 'edit link', 12: 'unlink', 13: 'restore link', 14: 'delete link', 15: 'turn link' },
  ...{ 20: 'share', 21: 'edit share', 22: 'end share' },
};

const PUBLICATION_NAMES = { begun: 'publish', ended: 'end publication', changed: 'edit publication' } as const;

export function addHistoryCommands(program: Command, context: Context, shared: () => Shared): void {
  program
    .command('history')
    .description('list changes, newest first')
    .argument('[node...]', 'only changes of this node')
    .option('--limit <number>', 'the maximum number', '20')
    .action(async (words: string[], { limit }: { limit: string }) => {
      const scope = words.length === 0 ? {} : { scopeType: 'NODE', scopeId: (await context.node(words.join(' '))).id };
      const batches = await historyOf(context, { ...scope, limit: Number(limit) });
      const graph = await context.known();
      context.show(shared(), batches, () => batches.map((batch) => lineOf(batch, graph, context)));
    });
  const turns = [
    [
      'undo',
      'batch:undo',
      'undo your last change, or the given one',
      (batch: HistoryBatch) => !batch.undone && !batch.undoOf,
    ],
    ['redo', 'batch:redo', 'redo your last undone change, or the given one', (batch: HistoryBatch) => batch.undone],
  ] as const;
  for (const [name, event, description, isMeant] of turns) {
    program
      .command(name)
      .description(description)
      .argument('[batch]', 'its id, or the end of the id as history lists it')
      .action(async (word: string | undefined) => {
        const batchId = await batchOf(context, word, isMeant);
        const { diff } = await context.call(event, { batchId });
        const known = await context.known();
        context.show(shared(), diff, () => changeLines({ ...diff, access: diff.access ?? [] }, known, context.output));
      });
  }
}

/** Over REST the scope may be left out. */
async function historyOf(context: Context, query: object): Promise<readonly HistoryBatch[]> {
  return (await context.call('history:page', query as Calls['history:page']['payload'])).batches;
}

async function batchOf(
  context: Context,
  word: string | undefined,
  isMeant: (batch: HistoryBatch) => boolean,
): Promise<string> {
  const batches = await historyOf(context, { limit: LOOKED_AT });
  if (word === undefined) {
    const { user } = await context.request<{ user: { email: string } }>('GET', '/api/me');
    const last = batches.find((batch) => batch.actor.email === user.email && isMeant(batch));
    if (last !== undefined) return last.batchId;
    throw new CliError(
      'notFound',
      'You have done nothing of that kind lately.',
      'See what was done: taskgraph history',
    );
  }
  const wanted = word.toLowerCase();
  const found = batches.filter(({ batchId }) => batchId === wanted || batchId.replaceAll('-', '').endsWith(wanted));
  if (found.length === 1) return found[0]?.batchId ?? '';
  throw new CliError('notFound', `There is no one batch ${word}.`, 'See what was done: taskgraph history');
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
        : (NAMES[type] ?? type);
    return `${name}${title === '' ? '' : ` "${title}"`}`;
  });
  const turn = undoOf ? 'undo: ' : redoOf ? 'redo: ' : '';
  const text = `${turn}${named.join(', ')}`;
  const at = new Date(ts).toLocaleString();
  const line = `${paint.cyan(batchId.slice(-SHORT_DIGITS))}  ${at}  ${actor.username}  ${undone ? paint.dim(`${text} (undone)`) : text}`;
  return line;
}
