// `npm run docs:site`: builds the site of the documents into dist/site, unless it is there for the
// same files. SITE_BASE is the path of its address, '/' by default; SITE_URL the whole address, for
// llms.txt.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { must } from '../check-api/process.ts';
import { REPOSITORY } from '../check-api/tools.ts';
import { STAGE, writeStage } from './staging.ts';

const SITE = join(REPOSITORY, 'docs', 'site');
const FOLDER = join(SITE, '.cache', 'stage');
const BUILT = join(REPOSITORY, 'dist', 'site');
/** The hash of the inputs of the present build. */
const RECORD = join(REPOSITORY, 'dist', 'site.sha256');

const base = process.env.SITE_BASE || '/';
const print = (line: string) => void process.stdout.write(`${line}\n`);

try {
  writeStage(REPOSITORY, FOLDER, process.env.SITE_URL ?? '');
  const inputs = hashOf();
  const isCurrent = existsSync(BUILT) && existsSync(RECORD) && readFileSync(RECORD, 'utf8') === inputs;
  if (isCurrent) print('dist/site is current');
  else build(inputs);
} catch (error) {
  // A dead link, or the output of a program that failed.
  print(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

function build(inputs: string): void {
  install();
  rmSync(RECORD, { force: true });
  const vitepress = join(SITE, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  must(process.execPath, [vitepress, 'build', SITE], { cwd: SITE, env: { SITE_BASE: base, NODE_ENV: 'production' } });
  cpSync(join(FOLDER, STAGE.texts), BUILT, { recursive: true });
  writeFileSync(RECORD, inputs);
  print('dist/site is built');
}

/** Installs the packages of docs/site, unless they are those of its lock file. */
function install(): void {
  const [lock, installed] = ['package-lock.json', join('node_modules', 'installed-lock.json')].map((name) =>
    join(SITE, name),
  ) as [string, string];
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(lock))) return;
  print('installing the packages of docs/site ...');
  // Packages in npm's cache are not requested again: their checksums are in the lock file.
  must('npm', ['ci', '--ignore-scripts', '--prefer-offline'], { cwd: SITE });
  cpSync(lock, installed);
}

function hashOf(): string {
  const hash = createHash('sha256').update(`${base}\0`);
  const own = ['.vitepress', 'package-lock.json'].flatMap((name) => filesIn(join(SITE, name)));
  for (const path of [...own, ...filesIn(FOLDER)]) {
    hash.update(relative(SITE, path)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

function filesIn(path: string): string[] {
  if (path.endsWith('.json')) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
