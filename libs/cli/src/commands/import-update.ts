// import --update: updates what earlier imports of a file created. sources: lists and deletes the records
// by which updates find it. Rule: IO12.
import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { type ImportSource, type ImportSourceCalls, imports, momentText } from '@taskgraph/client';
import {
  CHANGE_KINDS,
  type ImportFormat,
  LONGEST_SOURCE_NAME,
  type ReadOptions,
  runUpdate,
  sourceNameOf,
  type TransferGraph,
  type UpdateEntry,
  undoUpdate,
} from '@taskgraph/client/transfer';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { noteLosses } from '../output/losses.ts';
import type { Output } from '../output/output.ts';
import { createProgress } from '../output/progress.ts';
import { tableOf } from '../output/table.ts';
import { STANDARD_INPUT } from '../service/files.ts';

export interface UpdateFlags {
  readonly update?: boolean;
  readonly source?: string;
  readonly remove?: boolean;
  readonly overwrite?: boolean;
  readonly acceptMismatch?: boolean;
  readonly dryRun?: boolean;
  readonly undo?: boolean;
  readonly again?: string;
}

/** Throws a CliError for flags that contradict each other, so that none is ignored. */
export function checkUpdateFlags(flags: UpdateFlags, paths: readonly string[]): void {
  const { update, source, remove, overwrite, acceptMismatch, undo, again } = flags;
  const hasChoices = remove === true || overwrite === true || acceptMismatch === true;
  if (update !== true && hasChoices)
    throw new CliError('usage', '--remove, --overwrite and --accept-mismatch are for updates.', 'Add --update.');
  if (update === true && undo === true && hasChoices)
    throw new CliError(
      'usage',
      '--undo reverts the last update as a whole.',
      'Leave the other options of updates out.',
    );
  if (update === true && again !== undefined)
    throw new CliError('usage', '--again is for imports.', 'Name the source of the import: --source NAME');
  if ((source?.length ?? 0) > LONGEST_SOURCE_NAME || source?.trim() === '')
    throw new CliError('usage', `The name of a source has 1 to ${LONGEST_SOURCE_NAME} characters.`, 'Change --source.');
  if (source !== undefined && paths.length > 1)
    throw new CliError('usage', 'Each file has its own source.', 'Import the files one by one.');
}

/**
 * The source of a file: its name, and a hash of the path if the file gives the name, because files of several
 * folders may have one name. Null for standard input, which has no name.
 */
export function sourceOf(
  path: string,
  format: string,
  { source }: UpdateFlags,
): { readonly name: string; readonly origin?: string } | null {
  if (source !== undefined) return { name: source };
  if (path === STANDARD_INPUT) return null;
  const origin = createHash('sha256').update(resolve(path).normalize('NFC')).digest('hex');
  return { name: sourceNameOf(format, basename(path)), origin };
}

export async function sourceCalls(context: Context): Promise<ImportSourceCalls> {
  return imports(await context.restClient());
}

interface UpdatedFile {
  readonly path: string;
  readonly format: ImportFormat;
  readonly graph: TransferGraph;
  readonly under: string | undefined;
  readonly reading: ReadOptions | undefined;
}

/** Updates what earlier imports of the file created, or reports what it would do. Throws an ImportError. */
export async function updateFile(
  context: Context,
  { path, format, graph, under, reading }: UpdatedFile,
  flags: UpdateFlags,
): Promise<object> {
  const { output, caller } = context;
  const source = sourceOf(path, format, flags);
  if (source === null)
    throw new CliError('usage', 'Standard input has no name.', 'Name the source of the tasks: --source NAME');
  const progress = createProgress(output, `updating from ${path}`, 100);
  const onProgress = (done: number, all: number) => progress.update(Math.round((100 * done) / Math.max(1, all)));
  const { remove, overwrite, acceptMismatch, dryRun } = flags;
  const calls = await sourceCalls(context);
  try {
    const choices = { remove, overwrite, acceptMismatch, dryRun };
    const { name, origin } = source;
    const options = { source: name, origin, format, reading, under, ...choices, calls, onProgress };
    const report = await runUpdate(caller, graph, options);
    progress.end();
    noteEntries(output, report.entries, dryRun === true);
    noteLosses(output, report.leftOut);
    const line = `${path}: ${summaryOf(report.entries, dryRun === true)}`;
    return { file: path, format, source: name, ...report, ...(dryRun ? { dryRun } : {}), line };
  } finally {
    progress.end();
  }
}

/** Places listed for each kind; `--json` lists all. */
const MAXIMUM_LISTED = 5;

function noteEntries(output: Output, entries: readonly UpdateEntry[], isDry: boolean): void {
  const changes = entries.filter(({ kind }) => CHANGE_KINDS.has(kind));
  const others = entries.filter(({ kind }) => !CHANGE_KINDS.has(kind));
  for (const [head, all] of [
    [isDry ? 'would change' : 'changed', changes],
    ['left as it is', others],
  ] as const) {
    if (all.length > 0) output.note(`${head}:`);
    for (const { what, count, places } of all) {
      const more = count > MAXIMUM_LISTED ? `, and ${count - MAXIMUM_LISTED} more (--json lists all)` : '';
      output.note(`  ${count} × ${what}: ${places.slice(0, MAXIMUM_LISTED).join(', ')}${more}`);
    }
  }
}

function summaryOf(entries: readonly UpdateEntry[], isDry: boolean): string {
  const count = (kind: UpdateEntry['kind']) => entries.find((each) => each.kind === kind)?.count ?? 0;
  const created = `${count('created')} tasks and ${count('linked')} links ${isDry ? 'would be created' : 'created'}`;
  const changed = `${count('changed')} tasks and ${count('link_changed')} links ${isDry ? 'would change' : 'changed'}`;
  const trashed = count('trashed') + count('unlinked');
  const removed = trashed === 0 ? '' : `, ${trashed} ${isDry ? 'would move' : 'moved'} to the trash`;
  const conflicts = count('conflict') === 0 ? '' : `; ${count('conflict')} conflicts`;
  return `${created}, ${changed}${removed}${conflicts}`;
}

/** Undoes the last import or update of the source of a file. Throws an ImportError. */
export async function undoUpdatedFile(
  context: Context,
  { path, format }: Pick<UpdatedFile, 'path' | 'format'>,
  flags: UpdateFlags,
): Promise<object> {
  const source = sourceOf(path, format, flags);
  if (source === null)
    throw new CliError('usage', 'Standard input has no name.', 'Name the source of the tasks: --source NAME');
  const progress = createProgress(context.output, `undoing the update from ${path}`, 100);
  const onProgress = (done: number, all: number) => progress.update(Math.round((100 * done) / Math.max(1, all)));
  try {
    const { name, origin } = source;
    const compared = { source: name, format, origin };
    const options = { ...compared, calls: await sourceCalls(context), dryRun: flags.dryRun, onProgress };
    const { parts, before, interrupted } = await undoUpdate(context.caller, options);
    if (interrupted)
      context.output.note(
        'The update was interrupted. A call that was on its way may have changed tasks and is not undone: taskgraph history',
      );
    const earlier = before === 0 ? '' : `; ${before} were undone before`;
    const word = flags.dryRun === true ? 'the last update would be undone' : 'update undone';
    return { file: path, source: name, parts, before, interrupted, line: `${path}: ${word}, ${parts} parts${earlier}` };
  } finally {
    progress.end();
  }
}

export function addSourceCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const sources = program
    .command('sources')
    .description('manage the sources of imports, by which import --update finds the tasks of earlier imports');
  sources
    .command('list', { isDefault: true })
    .description('list the sources of your imports')
    .action(async () => {
      const all = await (await sourceCalls(context)).list();
      const { columns, paint } = context.output;
      context.show(globalOptions(), all, () => {
        if (all.length === 0) return [paint.dim('There are no sources of imports.')];
        const rows = all.map(({ name, rows: count, lastUsed }) => [name, String(count), momentText(lastUsed)]);
        return tableOf(rows, { heads: ['source', 'rows', 'last import'], columns, paintHead: paint.bold });
      });
    });
  sources
    .command('delete')
    .description('delete a source; its tasks stay, and later files cannot update them')
    .argument('<source>', 'its name or its id')
    .action(async (name: string) => {
      const calls = await sourceCalls(context);
      const found = sourceNamed(await calls.list(), name);
      await calls.delete(found.id);
      context.show(globalOptions(), { ok: true, id: found.id, name: found.name }, () => [`deleted ${found.name}`]);
    });
}

/** Throws a CliError if there is none. */
function sourceNamed(all: readonly ImportSource[], name: string): ImportSource {
  const found = all.find((each) => each.name === name || each.id === name.toLowerCase());
  if (found !== undefined) return found;
  throw new CliError('notFound', `There is no source ${name}.`, 'List them: taskgraph sources');
}
