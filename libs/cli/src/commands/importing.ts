// import: files of tasks into the graph. Rules: IO1 to IO5.
import { resolve } from 'node:path';
import { momentText } from '@taskgraph/client';
import {
  BrokenFile,
  describeUnknownFile,
  formatOf,
  IMPORT_FORMATS,
  ImportError,
  type ImportFormat,
  type ImportOptions,
  importName,
  readFile,
  runImport,
  TRANSFER_BOUNDS,
  type TransferGraph,
  takeBack,
} from '@taskgraph/client/transfer';
import type { Command } from 'commander';
import type { Context, Shared } from '../context.ts';
import { CliError } from '../failures.ts';
import { noteLosses } from '../output/losses.ts';
import { progressOn } from '../output/progress.ts';
import { formatNamed } from '../service/file-formats.ts';
import { readText, STANDARD_INPUT } from '../service/files.ts';
import { openReceipts, type Receipts } from '../service/receipts.ts';

interface ImportFlags {
  readonly format?: string;
  readonly under?: string;
  readonly again?: string;
  readonly dryRun?: boolean;
  readonly undo?: boolean;
}

/** A file that is whole, and in order. */
interface Ready {
  readonly path: string;
  readonly format: ImportFormat;
  readonly graph: TransferGraph;
  readonly identity: Pick<ImportOptions, 'file' | 'format' | 'under' | 'again'>;
}

/** A label of `--again`. */
const LONGEST_LABEL = 64;

export function addImport(program: Command, context: Context, shared: () => Shared): void {
  program
    .command('import')
    .description('import tasks from files; repeated, it continues and creates nothing twice')
    .argument('<file...>', 'the files; - is standard input')
    .option('--format <format>', `one of ${IMPORT_FORMATS.join(', ')}; else the file tells`)
    .option('--under <node>', 'the parent of the imported tasks')
    .option('--again <label>', 'import the same file once more, under this name')
    .option('--dry-run', 'only report the effect and the omissions')
    .option('--undo', 'revert the import of this file')
    .action(async (paths: string[], flags: ImportFlags) => {
      const under = flags.under === undefined ? undefined : (await context.node(flags.under)).id;
      if (paths.filter((path) => path === STANDARD_INPUT).length > 1)
        throw new CliError('usage', 'Standard input can be read once.', 'Name - once among the files.');
      // All are read before the first is made.
      const files: Ready[] = [];
      for (const path of paths) files.push(await readyFile(path, flags, under));
      const told: object[] = [];
      for (const file of files) told.push(await (flags.dryRun ? tellOnly(context, file) : carry(context, file, flags)));
      context.show(shared(), told.length === 1 ? told[0] : told, () =>
        told.map((each) => (each as { line: string }).line),
      );
    });
}

/** Reads a file whole; a broken one is refused before anything is made. */
async function readyFile(path: string, { format, again }: ImportFlags, under: string | undefined): Promise<Ready> {
  if ((again?.length ?? 0) > LONGEST_LABEL)
    throw new CliError('usage', 'The label of --again is too long.', `It has at most ${LONGEST_LABEL} characters.`);
  let guess: ImportFormat | null = null;
  try {
    const { bytes, text, leftOut } = await readText(path, TRANSFER_BOUNDS.bytes);
    guess = formatOf(text, path);
    const chosen = format === undefined ? guess : formatNamed(format, IMPORT_FORMATS);
    if (chosen === null) {
      throw new CliError(
        'usage',
        `${path} seems to be ${describeUnknownFile(text, path)}.`,
        `Import reads ${IMPORT_FORMATS.join(', ')}. If it is one of these, say which by --format.`,
      );
    }
    const graph = readFile(text, chosen);
    return {
      path,
      format: chosen,
      graph: { ...graph, leftOut: [...graph.leftOut, ...leftOut] },
      identity: { file: bytes, format: chosen, under, again },
    };
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    const where = error.line === null ? path : `${path}:${error.line}`;
    throw new CliError(
      'usage',
      `${where}: ${error.reason}`,
      format === undefined || guess === null || guess === format.toLowerCase()
        ? 'Nothing was made. Mend the file, and import it again.'
        : `Nothing was made. It seems to be of the format ${guess}: --format ${guess}`,
    );
  }
}

async function tellOnly({ output }: Context, { path, format, graph }: Ready): Promise<object> {
  const { nodes, links, leftOut } = graph;
  noteLosses(output, leftOut);
  const line = `${path}: ${nodes.length} tasks and ${links.length} links would be made; it is read as ${format}`;
  return { file: path, format, nodes: nodes.length, links: links.length, leftOut, dryRun: true, line };
}

async function carry(context: Context, file: Ready, { undo }: ImportFlags): Promise<object> {
  const { folder } = await context.account();
  const receipts = await openReceipts(folder);
  const name = await importName(file.identity);
  try {
    return await (undo ? undoFile(context, file, { receipts, name }) : makeFile(context, file, { receipts, name }));
  } catch (error) {
    throw error instanceof ImportError ? explained(error, file) : error;
  }
}

interface Known {
  readonly receipts: Receipts;
  readonly name: string;
}

async function makeFile(
  context: Context,
  { path, format, graph, identity }: Ready,
  { receipts, name }: Known,
): Promise<object> {
  const { output } = context;
  // Standard input is another file each time.
  const isNamed = path !== STANDARD_INPUT;
  const whole = isNamed ? resolve(path) : path;
  const other = isNamed ? receipts.otherOf(name, whole) : undefined;
  if (other !== undefined)
    output.note(
      `${path} was imported on ${momentText(other.at).slice(0, 10)} with another content or to another place: that stays, and this comes beside it`,
    );
  const progress = progressOn(output, `importing ${path}`, graph.nodes.length + graph.links.length);
  const known = receipts.of(name)?.done ?? 0;
  let noted: Promise<void> = Promise.resolve();
  const onProgress = (done: number, parts: number) => {
    progress.at(Math.round(((graph.nodes.length + graph.links.length) * done) / Math.max(1, parts)));
    if (done <= known) return;
    const receipt = { path: whole, at: new Date().toISOString(), done, parts };
    noted = noted.then(() => receipts.keep(name, receipt));
  };
  try {
    const { ids, batches, there, ...report } = await runImport(context.caller, graph, {
      ...identity,
      known,
      onProgress,
    });
    const tops = topsOf(graph).map(({ key, title }) => ({ id: ids.get(key), title }));
    progress.end();
    noteLosses(output, report.leftOut);
    const was =
      there === 0
        ? ''
        : there === report.parts
          ? ', all of which was there'
          : `, of which ${there} of ${report.parts} parts were there`;
    const line = `${path}: ${report.nodes} tasks, ${report.links} links${was}`;
    return { file: path, format, ...report, there, batches, tops, ids: Object.fromEntries(ids), line };
  } finally {
    progress.end();
    await noted;
  }
}

/** The tasks that nothing in the file waits for. */
function topsOf({ nodes, links }: TransferGraph): TransferGraph['nodes'] {
  const leading = new Set(links.map(({ source }) => source));
  return nodes.filter(({ key }) => !leading.has(key));
}

async function undoFile(
  context: Context,
  { path, graph, identity }: Ready,
  { receipts, name }: Known,
): Promise<object> {
  const progress = progressOn(context.output, `taking back ${path}`, 100);
  const onProgress = (done: number, parts: number) => progress.at(Math.round((100 * done) / Math.max(1, parts)));
  try {
    const known = receipts.of(name)?.done ?? 0;
    const { parts, before } = await takeBack(context.caller, graph, { ...identity, known, onProgress });
    await receipts.forget(name);
    const was = before === 0 ? '' : `; ${before} were taken back before`;
    return { file: path, parts, before, line: `${path}: taken back, ${parts} parts${was}` };
  } finally {
    progress.end();
  }
}

const REMEDIES: Readonly<Record<ImportError['code'], string>> = {
  'import.forgotten': 'To make it once more: --again LABEL',
  'import.changed': 'Take back what was made, as history lists it; to make all of it: --again LABEL',
  'import.not_there': 'What you did is listed by taskgraph history.',
  'import.gone': 'Restore it from the trash: taskgraph ls --trash. To make all of it once more: --again LABEL',
  'import.conflict': 'Undo what was changed since, or trash what is left by hand: taskgraph history',
};

function explained(error: ImportError, { path }: Ready): CliError {
  const kind = error.code === 'import.not_there' ? 'notFound' : 'conflict';
  const done = error.done === 0 || kind === 'notFound' ? '' : ` ${error.done} parts of it are there.`;
  return new CliError(kind, `${path}: ${error.message}${done}`, REMEDIES[error.code]);
}
