// Packages of this repository as their users get them: packed, and installed into an empty project
// with the dependencies of the examples.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL('../../../..', import.meta.url));

/** The file names of a package, and its bytes as a tarball and unpacked. */
export interface PackedPackage {
  readonly files: readonly string[];
  readonly size: number;
  readonly unpackedSize: number;
}

/** An empty project with packages in it. */
export interface Project {
  readonly folder: string;
  /** In the order of the request. */
  readonly packed: readonly PackedPackage[];
  /** Compiles the file and returns the compiler's output. */
  compile(file: string): Promise<string>;
  /** Runs a file of the project with these arguments and returns the lines of its output. */
  run(file: string, environment: Readonly<Record<string, string>>, given?: readonly string[]): Promise<string[]>;
  remove(): Promise<void>;
}

interface PackResult {
  filename: string;
  files: { path: string }[];
  size: number;
  unpackedSize: number;
}

/**
 * `packages` are `client` or `cli`; `others` are dependencies of this repository. npm has them in
 * its cache since `npm ci`, so it needs no network.
 */
export async function installPacked(packages: readonly string[], others: readonly string[] = []): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'taskgraph-packed-'));
  const npm = (given: readonly string[]) =>
    run('npm', given, { cwd: folder, env: { ...process.env, npm_config_audit: 'false' } });
  await run(process.execPath, [join(REPOSITORY, 'deploy', 'pack.mjs'), join(folder, 'packages')]);
  const folders = packages.map((name) => join(folder, 'packages', name));
  const { stdout } = await npm(['pack', ...folders, '--json', '--foreground-scripts=false']);
  const packed = JSON.parse(stdout) as PackResult[];
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  const tarballs = packed.map(({ filename }) => join(folder, filename));
  const wanted = await Promise.all(others.map(versioned));
  await npm(['install', '--prefer-offline', '--ignore-scripts', ...tarballs, ...wanted]);
  return {
    folder,
    packed: packed.map(({ files, size, unpackedSize }) => ({
      files: files.map(({ path }) => path),
      size,
      unpackedSize,
    })),
    compile: (file) => compile(folder, file),
    async run(file, environment, given = []) {
      const ran = await run(process.execPath, [file, ...given], {
        cwd: folder,
        env: { ...process.env, ...environment },
        timeout: 60_000,
      });
      return ran.stdout.trim().split('\n');
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The version in this repository. */
async function versioned(name: string): Promise<string> {
  const text = await readFile(join(REPOSITORY, 'node_modules', name, 'package.json'), 'utf8');
  return `${name}@${(JSON.parse(text) as { version: string }).version}`;
}

async function compile(folder: string, file: string): Promise<string> {
  const compiler = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
  // Without skipLibCheck, so that the compiler also checks the package's declarations.
  const options = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--jsx', 'react-jsx'];
  const ran = await run(process.execPath, [compiler, '--ignoreConfig', ...options, file], { cwd: folder }).catch(
    (error) => error,
  );
  return ran.stdout;
}
