// `npm run check:supply`: asks npm for known weaknesses, writes the list of all packages (SBOM),
// and checks their licences.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { licenceFindings, readAudit, readComponents } from './supply.ts';

const REPOSITORY = fileURLToPath(new URL('../../../..', import.meta.url));
/** In a folder that Git ignores. */
const LIST = join('.cache', 'sbom.cyclonedx.json');
/** Without a network npm would retry for minutes. */
const NPM_LIMIT_MS = 90_000;
const LONGEST_OUTPUT_BYTES = 64 * 1024 * 1024;

function npm(...options: string[]): string {
  const { stdout } = spawnSync('npm', options, {
    cwd: REPOSITORY,
    encoding: 'utf8',
    timeout: NPM_LIMIT_MS,
    maxBuffer: LONGEST_OUTPUT_BYTES,
    // Drops other messages of npm, such as warnings about its settings.
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  return stdout ?? '';
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tellFindings(what: string, findings: readonly string[]): void {
  tell(`${what}: ${findings.length}`);
  for (const finding of findings) tell(`  ${finding}`);
}

// The list derives from the lock file alone: it is the same on every machine and needs no network.
const list = npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only');
const components = readComponents(list);
mkdirSync(dirname(join(REPOSITORY, LIST)), { recursive: true });
writeFileSync(join(REPOSITORY, LIST), list);
tell(`packages: ${components.length}, listed in ${LIST}`);

const licences = licenceFindings(components);
tellFindings('packages with a licence that is not allowed', licences);

const audit = readAudit(npm('audit', '--omit=dev', '--audit-level=high', '--json'));
if (audit.asked) tellFindings('packages with a known grave weakness', audit.findings);
else tell(`known weaknesses: NOT CHECKED, the registry did not answer (${audit.reason})`);

process.exitCode = licences.length + (audit.asked ? audit.findings.length : 0) > 0 ? 1 : 0;
