// `npm run check:supply`: asks npm for known weaknesses, writes the list of all packages (SBOM),
// and checks their licences.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { licenceFindings, readAudit, readComponents } from './supply.ts';

const REPOSITORY = fileURLToPath(new URL('../../../..', import.meta.url));
/** The folders with a lock file, and the list of the packages of each. */
const LOCKED = [
  { folder: '.', list: 'sbom.cyclonedx.json' },
  { folder: join('docs', 'site'), list: 'sbom-site.cyclonedx.json' },
] as const;
/** Git ignores it. */
const LISTS = '.cache';
/** Without a network npm would retry for minutes. */
const NPM_LIMIT_MS = 90_000;
const LONGEST_OUTPUT_BYTES = 64 * 1024 * 1024;

function npm(folder: string, ...options: string[]): string {
  const { stdout } = spawnSync('npm', options, {
    cwd: join(REPOSITORY, folder),
    encoding: 'utf8',
    timeout: NPM_LIMIT_MS,
    maxBuffer: LONGEST_OUTPUT_BYTES,
    // Drops other messages of npm, such as warnings about its settings.
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  return stdout ?? '';
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printFindings(what: string, findings: readonly string[]): void {
  print(`${what}: ${findings.length}`);
  for (const finding of findings) print(`  ${finding}`);
}

/** Returns the number of findings. */
function checkFolder({ folder, list }: (typeof LOCKED)[number]): number {
  // The list derives from the lock file alone: it is the same on every machine and needs no network.
  const text = npm(folder, 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only');
  const components = readComponents(text);
  mkdirSync(join(REPOSITORY, LISTS), { recursive: true });
  writeFileSync(join(REPOSITORY, LISTS, list), text);
  print(`packages of ${folder}: ${components.length}, listed in ${join(LISTS, list)}`);

  const licences = licenceFindings(components);
  printFindings('packages with a licence that is not allowed', licences);

  const audit = readAudit(npm(folder, 'audit', '--omit=dev', '--audit-level=high', '--json'));
  if (audit.asked) printFindings('packages with a known grave weakness', audit.findings);
  else print(`known weaknesses: NOT CHECKED, the registry did not answer (${audit.reason})`);
  return licences.length + (audit.asked ? audit.findings.length : 0);
}

process.exitCode = LOCKED.map(checkFolder).some((findings) => findings > 0) ? 1 : 0;
