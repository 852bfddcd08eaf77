// Runs the chart's suites with helm-unittest, which uses the library of Helm 3, and renders each
// case with both Helm programs too.
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { comparable, type RenderOptions, tryTemplate } from './helm.ts';
import { run } from './program.ts';
import { chartPath } from './repository.ts';

interface Release {
  readonly name: string;
}

interface SuiteDefaults {
  readonly values?: readonly string[];
  readonly capabilities?: { readonly majorVersion: number; readonly minorVersion: number };
}

interface Case extends SuiteDefaults {
  readonly it: string;
  readonly release?: Release;
  /** Nested maps only. helm-unittest also accepts dotted paths, but Helm does not. */
  readonly set?: Readonly<Record<string, unknown>>;
  readonly asserts: readonly { readonly failedTemplate?: { readonly errorPattern: string } }[];
}

interface Suite extends SuiteDefaults {
  readonly release: Release;
  readonly tests: readonly Case[];
}

/** Throws with the findings of a suite or of Helm. Returns the counts. */
export async function checkSuites(
  unittest: string,
  helms: Readonly<Record<string, string>>,
  kubeVersion: string,
): Promise<string> {
  const files = readdirSync(chartPath('tests')).filter((file) => file.endsWith('_test.yaml'));
  const cases = files.flatMap((file) => {
    const suite = parse(readFileSync(chartPath('tests', file), 'utf8')) as Suite;
    return suite.tests.map((each) => ({ each, rendering: renderingOf(suite, each, kubeVersion) }));
  });
  const { exitCode, stdout } = await run(unittest, ['--strict', chartPath()]);
  if (exitCode !== 0) throw new Error(`helm-unittest finds:\n${stdout}`);
  if (!stdout.includes(` ${cases.length} passed, ${cases.length} total`)) {
    throw new Error(`helm-unittest did not run all ${cases.length} cases:\n${stdout}`);
  }
  let refused = 0;
  for (const { each, rendering } of cases) {
    const pattern = each.asserts.find(({ failedTemplate }) => failedTemplate !== undefined)?.failedTemplate
      ?.errorPattern;
    if (pattern === undefined) await renderAlike(helms, each.it, rendering);
    else await refuseBoth(helms, each.it, rendering, new RegExp(pattern));
    if (pattern !== undefined) refused++;
  }
  return `${cases.length - refused} cases of switches pass, ${refused} wrong values are refused by name, by both Helms alike`;
}

function renderingOf(suite: Suite, { it, values = [], set = {}, ...own }: Case, newest: string): RenderOptions {
  const dotted = Object.keys(set).find((key) => key.includes('.'));
  if (dotted !== undefined) throw new Error(`${it}: nest the maps of ${dotted}, since Helm reads no paths`);
  const { majorVersion, minorVersion } = own.capabilities ?? suite.capabilities ?? {};
  return {
    kubeVersion: majorVersion === undefined ? newest : `${majorVersion}.${minorVersion}.0`,
    files: [...(suite.values ?? []), ...values].map((file) => chartPath('tests', file)),
    set,
    release: (own.release ?? suite.release).name,
  };
}

async function renderAlike(
  helms: Readonly<Record<string, string>>,
  it: string,
  rendering: RenderOptions,
): Promise<void> {
  const outcomes = await Promise.all(Object.values(helms).map((helm) => tryTemplate(helm, rendering)));
  const refusal = outcomes.find(({ exitCode }) => exitCode !== 0);
  if (refusal !== undefined) throw new Error(`${it}: it is refused:\n${refusal.stderr}`);
  const texts = new Set(outcomes.map(({ stdout }) => comparable(stdout)));
  if (texts.size > 1) throw new Error(`${it}: ${Object.keys(helms).join(' and ')} render it differently`);
}

async function refuseBoth(
  helms: Readonly<Record<string, string>>,
  it: string,
  rendering: RenderOptions,
  message: RegExp,
): Promise<void> {
  for (const [name, helm] of Object.entries(helms)) {
    const { exitCode, stderr } = await tryTemplate(helm, rendering);
    if (exitCode === 0) throw new Error(`${it}: ${name} does not refuse it`);
    if (!message.test(stderr)) throw new Error(`${it}: ${name} does not say ${message}:\n${stderr}`);
  }
}
