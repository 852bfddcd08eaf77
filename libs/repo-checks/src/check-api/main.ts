// `npm run check:api`: checks docs/api/openapi.json and docs/api/asyncapi.json with external tools,
// and compares them with the last release. `--if-changed` stops if the check succeeded for the same
// files before. `--release` copies the current documents to the release.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './process.ts';
import { proofOf } from './proof.ts';
import { loadTool, MANIFESTS, oasdiff, packagesFolder, pythonTool, REPOSITORY } from './tools.ts';

const DESCRIPTIONS = join(REPOSITORY, 'docs', 'api');
const RELEASED = join(DESCRIPTIONS, 'released');
const NAMES = ['openapi.json', 'asyncapi.json'] as const;

/** The faults, one text each; null if this machine cannot run the check. */
type Findings = readonly string[] | null;

/** Redocly's recommended rules, without an error or a warning. */
function lint(packages: string): Findings {
  const cli = join(packages, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
  // Without update checks and without telemetry.
  const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return NAMES.flatMap((name) => {
    const given = [cli, 'lint', join(DESCRIPTIONS, name), '--extends', 'recommended', '--format', 'json'];
    const { stdout, output } = run(process.execPath, given, { cwd: packages, env });
    if (!stdout.startsWith('{')) throw new Error(`Redocly failed on ${name}:\n${output}`);
    const { problems } = JSON.parse(stdout) as { problems: Problem[] };
    return problems.map(({ ruleId, message, location }) => `${name}: ${ruleId}: ${message} (${location[0]?.pointer})`);
  });
}

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

interface Diagnostic {
  /** 0 is an error, 1 a warning; higher numbers are hints. */
  readonly severity: number;
  readonly code: string | number;
  readonly message: string;
}

/** AsyncAPI's own parser, with its rules. */
async function parse(packages: string): Promise<Findings> {
  const { Parser } = loadTool(packages, '@asyncapi/parser') as {
    Parser: new () => { parse(text: string): Promise<{ document: unknown; diagnostics: Diagnostic[] }> };
  };
  const { document, diagnostics } = await new Parser().parse(readFileSync(join(DESCRIPTIONS, 'asyncapi.json'), 'utf8'));
  const grave = diagnostics.filter(({ severity }) => severity <= 1).map(({ code, message }) => `${code}: ${message}`);
  return document === undefined && grave.length === 0 ? ['it is not an AsyncAPI document'] : grave;
}

function validate(): Findings {
  const programs = pythonTool('openapi-spec-validator');
  if (programs === null) return null;
  const { status, output } = run(join(programs, 'openapi-spec-validator'), [join(DESCRIPTIONS, 'openapi.json')]);
  return status === 0 ? [] : [output];
}

/** Changes that break clients of the last release, by oasdiff. */
function compareRest(): Findings {
  const program = oasdiff();
  if (program === null) return null;
  const files = [join(RELEASED, 'openapi.json'), join(DESCRIPTIONS, 'openapi.json')];
  const { status, output } = run(program, ['breaking', ...files, '--fail-on', 'ERR', '--format', 'singleline']);
  return status === 0 ? [] : [output];
}

/** Changes that break sockets, by AsyncAPI's own comparison. */
function compareSockets(packages: string): Findings {
  const { diff } = loadTool(packages, '@asyncapi/diff') as {
    diff(one: object, other: object): { breaking(): { action: string; path: string }[] };
  };
  const [released, present] = [RELEASED, DESCRIPTIONS].map((folder) =>
    JSON.parse(readFileSync(join(folder, 'asyncapi.json'), 'utf8')),
  );
  return diff(released, present)
    .breaking()
    .filter(({ action, path }) => isBreaking(action, path))
    .map(({ action, path }) => `${action} ${path}`);
}

/** The comparison ignores the content of schemas. Of its findings, only removals break clients. */
function isBreaking(action: string, path: string): boolean {
  return action === 'remove' && /^\/(operations|channels\/[^/]+\/messages|components\/messages)\/[^/]+$/.test(path);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** True or false; `null` if no fault was found and a part was skipped. */
async function check(): Promise<boolean | null> {
  const packages = packagesFolder();
  const judged: [string, Findings][] = [
    ["Redocly's recommended rules", lint(packages)],
    ["AsyncAPI's parser", await parse(packages)],
    ['openapi-spec-validator', validate()],
    ['changes that break REST clients of the last release', compareRest()],
    ['removed calls and pushes', compareSockets(packages)],
  ];
  for (const [name, findings] of judged) {
    print(`${name}: ${findings === null ? 'SKIPPED, this machine lacks Go or Python' : findings.length}`);
    for (const finding of findings ?? []) print(`  ${finding}`);
  }
  if (judged.some(([, findings]) => findings !== null && findings.length > 0)) return false;
  return judged.some(([, findings]) => findings === null) ? null : true;
}

if (process.argv.includes('--release')) {
  mkdirSync(RELEASED, { recursive: true });
  for (const name of NAMES) copyFileSync(join(DESCRIPTIONS, name), join(RELEASED, name));
  print('docs/api/released is now a copy of docs/api');
} else {
  const here = dirname(fileURLToPath(import.meta.url));
  const proof = proofOf('proven', [DESCRIPTIONS, MANIFESTS, here], /\.(json|js)$/);
  if (process.argv.includes('--if-changed') && proof.exists)
    print('the descriptions of the API are unchanged since the last success');
  else {
    const verdict = await check();
    if (verdict === true) proof.save();
    if (verdict === false) process.exitCode = 1;
  }
}
