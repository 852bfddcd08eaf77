// The package as its users get it: packed, and installed into an empty project beside what its examples need.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../../../../..', import.meta.url));

/** An empty project with the package in it. */
export interface Project {
  readonly folder: string;
  /** Names of the files of the package, and its bytes as a tarball and unpacked. */
  readonly packed: { readonly files: readonly string[]; readonly size: number; readonly unpackedSize: number };
  /** Compiles the file; gives what the compiler has to say. */
  compile(file: string): Promise<string>;
  /** Runs the file; gives its lines. */
  run(file: string, environment: Readonly<Record<string, string>>): Promise<string[]>;
  remove(): Promise<void>;
}

interface Packed {
  filename: string;
  files: { path: string }[];
  size: number;
  unpackedSize: number;
}

/** Of the packages that `npm ci` has fetched for this repository npm keeps copies, so that it asks nobody for them again. */
export async function installPacked(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'taskgraph-client-'));
  const npm = (given: readonly string[]) =>
    run('npm', given, { cwd: folder, env: { ...process.env, npm_config_audit: 'false' } });
  const { stdout } = await npm(['pack', PACKAGE, '--json', '--ignore-scripts']);
  const [packed] = JSON.parse(stdout) as [Packed];
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  const others = ['react', 'react-dom', '@types/react', '@types/node'].map(versioned);
  await npm([
    'install',
    '--prefer-offline',
    '--ignore-scripts',
    join(folder, packed.filename),
    ...(await Promise.all(others)),
  ]);
  const { size, unpackedSize } = packed;
  return {
    folder,
    packed: { files: packed.files.map(({ path }) => path), size, unpackedSize },
    compile: (file) => compile(folder, file),
    async run(file, environment) {
      const ran = await run(process.execPath, [file], {
        cwd: folder,
        env: { ...process.env, ...environment },
        timeout: 60_000,
      });
      return ran.stdout.trim().split('\n');
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The version that this repository has. */
async function versioned(name: string): Promise<string> {
  const text = await readFile(join(REPOSITORY, 'node_modules', name, 'package.json'), 'utf8');
  return `${name}@${(JSON.parse(text) as { version: string }).version}`;
}

async function compile(folder: string, file: string): Promise<string> {
  const compiler = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
  // Without skipLibCheck: the declarations of the package itself are judged too.
  const options = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--jsx', 'react-jsx'];
  const ran = await run(process.execPath, [compiler, '--ignoreConfig', ...options, file], { cwd: folder }).catch(
    (error) => error,
  );
  return ran.stdout;
}
