// `npm run backup`, `npm run restore` and `npm run import`: commands on the data folder of a
// stopped stack.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { REPOSITORY, startBackends } from './backends/backends.ts';
import { backUp, restore } from './backends/backup.ts';
import { readCacheDir, readNodeSetting } from './configuration.ts';
import { describeFailure, LauncherError } from './errors.ts';
import { chooseNode } from './node/node-choice.ts';
import type { NodeProgram } from './node/node-download.ts';
import { lastLines, runCommand } from './processes/commands.ts';
import { type Report, step, streamReport } from './progress.ts';

const USAGE = `usage: npm run backup -- --to FOLDER
       npm run restore -- --from FOLDER
       npm run import -- --file F, or --folder D for the newest export in it`;

type Variables = Readonly<Record<string, string | undefined>>;

/** Runs the command that the arguments name; returns the exit code. */
export async function main(commandArguments: readonly string[]): Promise<number> {
  const report = streamReport(process.stdout);
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => ending.abort());
  try {
    await run(commandArguments, { report, signal: ending.signal });
    return 0;
  } catch (error) {
    console.error(ending.signal.aborted ? 'stopped' : describeFailure(error));
    return 1;
  }
}

interface Context {
  readonly report: Report;
  readonly signal: AbortSignal;
}

async function run([command, ...others]: readonly string[], context: Context): Promise<void> {
  const text = { type: 'string' } as const;
  const options = { to: text, from: text, file: text, folder: text };
  const { to, from, file, folder } = parseArgs({ args: [...others], options }).values;
  const folders = foldersOf(process.env);
  const isImport = command === 'import' && (file === undefined) !== (folder === undefined);
  const source = file === undefined ? ['--folder', resolve(folder ?? '')] : ['--file', resolve(file)];
  if (isImport) return importExport(source, folders, context);
  const isBackup = command === 'backup' && to !== undefined;
  const isRestore = command === 'restore' && from !== undefined;
  if (!isBackup && !isRestore) throw new LauncherError('no known command is given', USAGE);
  if (process.env.NEO4J_URL) {
    throw new LauncherError(
      'NEO4J_URL names a Neo4j that the launcher does not run',
      'Use its own neo4j-admin, as docs/operations.md says, or npm run export.',
    );
  }
  if (isBackup) await backUp({ ...folders, ...context, folder: resolve(to) });
  if (isRestore) await restore({ ...folders, ...context, folder: resolve(from) });
}

function foldersOf(variables: Variables): { dataDir: string; cacheDir: string } {
  return {
    dataDir: resolve(variables.DATA_DIR || join(REPOSITORY, '.data')),
    cacheDir: readCacheDir(variables, REPOSITORY),
  };
}

/**
 * Imports into the database of NEO4J_URL, or starts the data folder's database without services,
 * which an import does not need.
 */
async function importExport(
  source: readonly string[],
  folders: ReturnType<typeof foldersOf>,
  context: Context,
): Promise<void> {
  const { cacheDir } = folders;
  const node = await chooseNode({ ...context, cacheDir, setting: readNodeSetting(process.env) });
  const scripts = { ...context, node };
  if (process.env.NEO4J_URL) return fill(source, process.env, scripts);
  const backends = await startBackends({ ...folders, ...context, environment: process.env });
  try {
    await fill(source, { ...process.env, ...backends.environment }, scripts);
  } finally {
    await backends.stop();
  }
}

interface ScriptContext extends Context {
  readonly node: NodeProgram;
}

async function fill(source: readonly string[], environment: Variables, context: ScriptContext): Promise<void> {
  // The database must be empty, so the migration must not create an administrator.
  const bare = { ...environment, TASKGRAPH_ADMIN_EMAIL: '', TASKGRAPH_ADMIN_PASSWORD: '' };
  await step(context.report, 'migrating the database', () => runScript(['migrate.js'], bare, context));
  context.report.line(
    (await step(context.report, 'importing', () => runScript(['import.js', ...source], bare, context))).trim(),
  );
}

async function runScript(
  [script = '', ...scriptArguments]: readonly string[],
  environment: Variables,
  { node, signal }: ScriptContext,
): Promise<string> {
  const program = join(REPOSITORY, 'services', 'admin', 'dist', script);
  const result = await runCommand(node.path, [program, ...scriptArguments], {
    environment: { ...environment },
    signal,
  });
  if (result.code === 0) return result.stdout;
  throw new LauncherError(`${script.replace('.js', '')} failed`, 'Its last lines:', lastLines(result.output));
}
