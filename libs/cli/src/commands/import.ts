// import: reads files of tasks into the graph. Rules: IO1 to IO5, IO12.
import { resolve } from 'node:path';
import { dueText, momentText } from '@taskgraph/client';
import {
  BrokenFile,
  checkEncoding,
  describeUnknownFile,
  encodingLosses,
  formatOf,
  IMPORT_FORMATS,
  ImportError,
  type ImportFormat,
  type ImportOptions,
  importName,
  isTableFormat,
  onOneLine,
  type ReadOptions,
  readBackup,
  readFile,
  runImport,
  STATUS_NAMES,
  type TableColumn,
  TRANSFER_BOUNDS,
  type TransferGraph,
  undoImport,
} from '@taskgraph/client/transfer';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { noteLosses } from '../output/losses.ts';
import { createProgress } from '../output/progress.ts';
import { formatNamed } from '../service/file-formats.ts';
import { readText, STANDARD_INPUT } from '../service/files.ts';
import { type ImportRecords, loadImportRecords } from '../service/import-records.ts';
import {
  checkUpdateFlags,
  sourceCalls,
  sourceOf,
  type UpdateFlags,
  undoUpdatedFile,
  updateFile,
} from './import-update.ts';

interface ImportFlags extends UpdateFlags {
  readonly format?: string;
  readonly under?: string;
  readonly again?: string;
  readonly map?: readonly string[];
  readonly dates?: string;
  readonly strict?: boolean;
}

/** A valid file, read and parsed. */
interface ParsedFile {
  readonly path: string;
  readonly format: ImportFormat;
  readonly graph: TransferGraph;
  readonly identity: Pick<ImportOptions, 'file' | 'format' | 'under' | 'again' | 'reading'>;
}

/** The most characters in an `--again` label. */
const MAXIMUM_LABEL_LENGTH = 64;

const DATE_ORDERS = ['day-first', 'month-first'] as const;

export function addImport(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  program
    .command('import')
    .description('import tasks from files; running it again continues and creates nothing twice')
    .argument('<file...>', 'the files; - is standard input')
    .option('--format <format>', `one of ${IMPORT_FORMATS.join(', ')}; by default it is detected`)
    .option('--under <node>', 'the parent of the imported tasks')
    .option('--again <label>', 'import the same file once more, under this name')
    .option('--map <column=field...>', 'the fields of the columns of a table; column=none for one that is not read')
    .option('--dates <order>', `the order in dates such as 1/2/2026: ${DATE_ORDERS.join(' or ')}`)
    .option('--strict', 'reject a table with a cell that cannot be read')
    .option('--dry-run', 'only report the effect, the columns, the first tasks and the omissions')
    .option('--update', 'update what earlier imports of this file created')
    .option('--source <name>', 'the name of the source of the tasks; by default the format and the name of the file')
    .option('--remove', 'with --update: move tasks and links that are gone from the file to the trash')
    .option('--overwrite', 'with --update: the file also wins where a person changed the same value')
    .option('--accept-mismatch', 'with --update: although the file has hardly any of the earlier tasks')
    .option('--undo', 'revert the import of this file; with --update, the last update')
    .action(async (paths: string[], flags: ImportFlags) => {
      const under = flags.under === undefined ? undefined : (await context.node(flags.under)).id;
      if (paths.filter((path) => path === STANDARD_INPUT).length > 1)
        throw new CliError('usage', 'Standard input can be read once.', 'Name - only once.');
      checkUpdateFlags(flags, paths);
      // Read every file before the first one is imported.
      const files: ParsedFile[] = [];
      for (const path of paths) files.push(await parseFile(path, flags, under));
      const reports: object[] = [];
      for (const file of files) reports.push(await runFile(context, file, flags));
      context.show(globalOptions(), reports.length === 1 ? reports[0] : reports, () =>
        reports.map((each) => (each as { line: string }).line),
      );
    });
}

/** Reads and parses a file. A broken file is rejected before any import begins. */
async function parseFile(path: string, flags: ImportFlags, under: string | undefined): Promise<ParsedFile> {
  const { format, again } = flags;
  const reading = readOptionsOf(flags);
  if ((again?.length ?? 0) > MAXIMUM_LABEL_LENGTH)
    throw new CliError(
      'usage',
      'The label of --again is too long.',
      `It has at most ${MAXIMUM_LABEL_LENGTH} characters.`,
    );
  let guess: ImportFormat | null = null;
  try {
    const file = await readText(path, TRANSFER_BOUNDS.bytes);
    const { bytes, text, backup, leftOut } = file;
    guess = backup === null ? formatOf(text, path) : 'todoist';
    const chosen = format === undefined ? guess : formatNamed(format, IMPORT_FORMATS);
    if (chosen === null) {
      throw new CliError(
        'usage',
        `${path} seems to be ${describeUnknownFile(text, path)}.`,
        `Import reads ${IMPORT_FORMATS.join(', ')}. If it is one of these, name it with --format.`,
      );
    }
    const isTable = isTableFormat(chosen);
    checkEncoding(file.content, file, isTable);
    if (chosen !== 'csv' && Object.keys(reading).length > 0)
      throw new CliError(
        'usage',
        `${path} has the format ${chosen}, not csv.`,
        '--map, --dates and --strict are for tables.',
      );
    if (backup !== null && chosen !== 'todoist') throw new BrokenFile(null, 'it is a backup of Todoist');
    const graph = backup === null ? readFile(text, chosen, reading) : readBackup(backup);
    return {
      path,
      format: chosen,
      graph: { ...graph, leftOut: [...encodingLosses(file), ...graph.leftOut, ...leftOut] },
      identity: { file: bytes, format: chosen, under, again, reading },
    };
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    const where = error.line === null ? path : `${path}:${error.line}`;
    throw new CliError(
      'usage',
      `${where}: ${error.reason}`,
      format === undefined || guess === null || guess === format.toLowerCase()
        ? 'Nothing was imported. Correct the file and import it again.'
        : `Nothing was imported. The file seems to have the format ${guess}: --format ${guess}`,
    );
  }
}

/** Throws a CliError. */
function readOptionsOf({ map = [], dates, strict }: ImportFlags): ReadOptions {
  const columns = map.map((each): [string, string] => {
    // A column may have `=` in its name, and a field has none.
    const at = each.lastIndexOf('=');
    if (at > 0) return [each.slice(0, at), each.slice(at + 1)];
    throw new CliError('usage', `${each} is not a column and a field.`, 'For example: --map "Task owner=assignee"');
  });
  const order = dates === undefined ? undefined : DATE_ORDERS.find((each) => each === dates.toLowerCase());
  if (dates !== undefined && order === undefined)
    throw new CliError('usage', `There is no order ${dates} of dates.`, `It is ${DATE_ORDERS.join(' or ')}.`);
  return {
    ...(columns.length === 0 ? {} : { columns: Object.fromEntries(columns) }),
    ...(order === undefined ? {} : { dates: order }),
    ...(strict === true ? { strict } : {}),
  };
}

/** Tasks that a dry run lists. */
const MAXIMUM_LISTED = 5;

async function previewFile({ output }: Context, { path, format, graph }: ParsedFile): Promise<object> {
  const { nodes, links, leftOut, columns } = graph;
  if (columns !== undefined) output.note(`columns: ${columns.map(columnText).join(', ')}`);
  for (const { title, status, dueDate, priority, volume, assignee } of nodes.slice(0, MAXIMUM_LISTED)) {
    const fields = [
      STATUS_NAMES[status],
      ...(dueDate === null ? [] : [`due ${dueText(dueDate)}`]),
      ...(priority === 0 ? [] : [`priority ${priority}`]),
      ...(volume === 0 ? [] : [`volume ${volume}`]),
      ...(assignee.length === 0 ? [] : [assignee.join(', ')]),
    ];
    output.note(`  ${onOneLine(title)}: ${onOneLine(fields.join('; '))}`);
  }
  noteLosses(output, leftOut);
  const line = `${path}: ${nodes.length} tasks and ${links.length} links would be created; format ${format}`;
  return {
    file: path,
    format,
    nodes: nodes.length,
    links: links.length,
    ...(columns === undefined ? {} : { columns }),
    sample: nodes.slice(0, MAXIMUM_LISTED),
    leftOut,
    dryRun: true,
    line,
  };
}

function columnText({ head, field }: TableColumn): string {
  return `${head === '' ? 'no name' : onOneLine(head)} → ${field ?? 'not read'}`;
}

async function runFile(context: Context, file: ParsedFile, flags: ImportFlags): Promise<object> {
  if (flags.update !== true) return flags.dryRun ? previewFile(context, file) : importOrUndo(context, file, flags);
  try {
    const { under, reading } = file.identity;
    return await (flags.undo
      ? undoUpdatedFile(context, file, flags)
      : updateFile(context, { ...file, under, reading }, flags));
  } catch (error) {
    throw error instanceof ImportError ? importFailure(error, file) : error;
  }
}

async function importOrUndo(context: Context, file: ParsedFile, flags: ImportFlags): Promise<object> {
  const { undo } = flags;
  const { folder } = await context.account();
  const records = await loadImportRecords(folder);
  const recordKey = await importName(file.identity);
  const chosen = sourceOf(file.path, file.format, flags);
  const source = chosen === null ? undefined : { ...chosen, calls: await sourceCalls(context) };
  const access = { records, recordKey, source };
  try {
    return await (undo ? undoImportedFile(context, file, access) : importFile(context, file, access));
  } catch (error) {
    throw error instanceof ImportError ? importFailure(error, file) : error;
  }
}

interface RecordAccess {
  readonly records: ImportRecords;
  readonly recordKey: string;
  readonly source: ImportOptions['source'];
}

async function importFile(
  context: Context,
  { path, format, graph, identity }: ParsedFile,
  { records, recordKey, source }: RecordAccess,
): Promise<object> {
  const { output } = context;
  // Standard input has no path, so its imports are not compared with earlier ones.
  const isNamed = path !== STANDARD_INPUT;
  const absolutePath = isNamed ? resolve(path) : path;
  const other = isNamed ? records.otherAt(recordKey, absolutePath) : undefined;
  if (other !== undefined)
    output.note(
      `${path} was imported on ${momentText(other.at).slice(0, 10)} with other content or to another place: that import stays, and this one is separate (--update changes the tasks of the earlier one)`,
    );
  const progress = createProgress(output, `importing ${path}`, graph.nodes.length + graph.links.length);
  const known = records.of(recordKey)?.done ?? 0;
  let saved: Promise<void> = Promise.resolve();
  const onProgress = (done: number, parts: number) => {
    progress.update(Math.round(((graph.nodes.length + graph.links.length) * done) / Math.max(1, parts)));
    if (done <= known) return;
    const record = { path: absolutePath, at: new Date().toISOString(), done, parts };
    saved = saved.then(() => records.save(recordKey, record));
  };
  try {
    const {
      ids,
      batches,
      there: importedBefore,
      ...report
    } = await runImport(context.caller, graph, {
      ...identity,
      known,
      source,
      onProgress,
    });
    const tops = rootsOf(graph).map(({ key, title }) => ({ id: ids.get(key), title }));
    progress.end();
    noteLosses(output, report.leftOut);
    const earlier =
      importedBefore === 0
        ? ''
        : importedBefore === report.parts
          ? ', all imported before'
          : `, ${importedBefore} of ${report.parts} parts imported before`;
    const line = `${path}: ${report.nodes} tasks, ${report.links} links${earlier}`;
    return { file: path, format, ...report, there: importedBefore, batches, tops, ids: Object.fromEntries(ids), line };
  } finally {
    progress.end();
    await saved;
  }
}

/** The tasks that no other task in the file waits for. */
function rootsOf({ nodes, links }: TransferGraph): TransferGraph['nodes'] {
  const sources = new Set(links.map(({ source }) => source));
  return nodes.filter(({ key }) => !sources.has(key));
}

async function undoImportedFile(
  context: Context,
  { path, graph, identity }: ParsedFile,
  { records, recordKey, source }: RecordAccess,
): Promise<object> {
  const progress = createProgress(context.output, `undoing ${path}`, 100);
  const onProgress = (done: number, parts: number) => progress.update(Math.round((100 * done) / Math.max(1, parts)));
  try {
    const known = records.of(recordKey)?.done ?? 0;
    const { parts, before: undoneBefore } = await undoImport(context.caller, graph, {
      ...identity,
      known,
      source,
      onProgress,
    });
    await records.remove(recordKey);
    const earlier = undoneBefore === 0 ? '' : `; ${undoneBefore} were undone before`;
    return { file: path, parts, before: undoneBefore, line: `${path}: import undone, ${parts} parts${earlier}` };
  } finally {
    progress.end();
  }
}

const REMEDIES: Readonly<Record<ImportError['code'], string>> = {
  'import.forgotten': 'To import it once more: --again LABEL',
  'import.changed':
    'Undo the batches of the import, which taskgraph history lists. To import all of it once more: --again LABEL',
  'import.not_there': 'List your changes: taskgraph history',
  'import.gone': 'Restore it from the trash: taskgraph ls --trash. To import all of it once more: --again LABEL',
  'import.no_source':
    'Import the earlier file once more without --update, which creates nothing twice, or name the source: --source NAME. List sources: taskgraph sources',
  'import.too_many_rows': 'List sources: taskgraph sources',
  'import.replaced': 'Run one update of a file at a time, and run this one again.',
  'import.incomplete': 'Run the import, the update or the undo that was interrupted again, with the same file.',
  'import.other_settings':
    'Give the options of the earlier import, or name the source: --source NAME. List sources: taskgraph sources',
  'import.other_file': 'Name the source of the file: --source NAME. If it is the right file: --accept-mismatch',
  'import.many_removals': 'If the file is complete: --accept-mismatch. To keep these tasks, leave --remove out',
  'import.conflict':
    'Undo the later changes, or move the remaining nodes to the trash: taskgraph history. To end an undo that has begun: taskgraph sources delete NAME',
};

function importFailure(error: ImportError, { path }: ParsedFile): CliError {
  const kind = error.code === 'import.not_there' || error.code === 'import.no_source' ? 'notFound' : 'conflict';
  const done = error.done === 0 || kind === 'notFound' ? '' : ` ${error.done} parts of it are in the graph.`;
  return new CliError(kind, `${path}: ${error.message}${done}`, REMEDIES[error.code]);
}
