// Detects whether any input of the proof has changed since its last success, by one digest over all
// inputs.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { must, run } from './program.ts';
import { repositoryPath } from './repository.ts';
import { CACHE } from './tools.ts';
import { readVariables } from './variables.ts';

/**
 * The chart, the files that check it with their versions, the images, the workflows, and the runbook of
 * its alerts. Of the services only the variables count.
 */
const FILES = ['.github', 'helm', 'deploy/image', 'deploy/compose.yaml', 'docs/operations.md'];

/** The packages that the proof itself uses. */
const PACKAGES = ['execa', 'yaml', 'zod'];

const PROVEN = join(CACHE, 'proven.json');
/** Bounds the list, because branches with a shared cache come and go. */
const MOST_PROVEN = 50;

/** The digest of all inputs; null outside a Git checkout, where the list of files is unknown. */
export async function digestInputs(): Promise<string | null> {
  const options = ['--cached', '--others', '--exclude-standard', '-z'];
  const listed = await run('git', ['ls-files', ...options, '--', ...FILES], { cwd: repositoryPath() });
  if (listed.exitCode !== 0) return null;
  const files = listed.stdout.split('\0').filter((path) => path !== '' && existsSync(repositoryPath(path)));
  const versions = PACKAGES.map((name) => repositoryPath('node_modules', name, 'package.json'));
  const hash = createHash('sha256');
  for (const path of [...files.sort().map((path) => repositoryPath(path)), ...versions]) {
    const content = readFileSync(path);
    hash.update(`${path.slice(repositoryPath().length)} ${content.length}\n`).update(content);
  }
  hash.update(JSON.stringify(await readVariables())).update(process.version);
  return hash.update(await must('go', ['version'])).digest('hex');
}

export function isProven(digest: string | null): boolean {
  return digest !== null && readProven().includes(digest);
}

export function keepProven(digest: string | null): void {
  if (digest === null) return;
  mkdirSync(dirname(PROVEN), { recursive: true });
  const kept = [digest, ...readProven().filter((each) => each !== digest)].slice(0, MOST_PROVEN);
  writeFileSync(PROVEN, JSON.stringify(kept));
}

function readProven(): string[] {
  return existsSync(PROVEN) ? JSON.parse(readFileSync(PROVEN, 'utf8')) : [];
}
