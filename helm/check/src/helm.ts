// Runs Helm for the proof: lint and template of the chart, with values from files and from an
// object.
import { readdirSync } from 'node:fs';
import { parseAllDocuments, stringify } from 'yaml';
import { must, type ProgramResult, run } from './program.ts';
import { chartPath } from './repository.ts';

/** One rendered object, hooks included. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: objects of many kinds, and callers name what they look at.
  readonly [field: string]: any;
}

export interface RenderOptions {
  readonly kubeVersion: string;
  /** Values files, and values that override them. */
  readonly files: readonly string[];
  readonly set?: Readonly<Record<string, unknown>>;
  readonly release?: string;
}

export const RELEASE = 'proof';
export const NAMESPACE = 'proof';

/** A values file of the proof's matrix: `minimal` stands for `ci/minimal-values.yaml`. */
export interface MatrixFile {
  readonly name: string;
  readonly path: string;
}

export function matrixFiles(): MatrixFile[] {
  const files = readdirSync(chartPath('ci')).filter((file) => file.endsWith('-values.yaml'));
  return files.sort().map((file) => ({ name: file.replace('-values.yaml', ''), path: chartPath('ci', file) }));
}

/** Throws with the findings of `helm lint --strict`. */
export async function lint(helm: string, file: string, kubeVersion: string): Promise<void> {
  await must(helm, ['lint', '--strict', '--kube-version', kubeVersion, '--values', file, chartPath()]);
}

/** Runs `helm template`; a rejection is a valid outcome. */
export function tryTemplate(helm: string, rendering: RenderOptions): Promise<ProgramResult> {
  const { kubeVersion, files, set = {}, release = RELEASE } = rendering;
  const target = ['template', release, chartPath(), '--namespace', NAMESPACE, '--kube-version', kubeVersion];
  const values = [...files, '-'].flatMap((file) => ['--values', file]);
  // Helm reads YAML 1.1, in which an unquoted yes or on is a boolean.
  return run(helm, [...target, ...values], { input: stringify(set, { version: '1.1' }) });
}

/** Renders the chart. Throws if Helm rejects it. */
export async function template(helm: string, rendering: RenderOptions): Promise<string> {
  const { exitCode, stdout, stderr } = await tryTemplate(helm, rendering);
  if (exitCode !== 0) throw new Error(`helm template rejected values that it should render:\n${stderr}`);
  return stdout;
}

export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => {
      if (document.errors.length > 0) throw new Error(`the rendered text is not YAML: ${document.errors[0]?.message}`);
      return document.toJS() as Manifest | null;
    })
    .filter((manifest) => manifest !== null);
}

/** Equal for two renderings with the same objects. */
export function comparable(text: string): string {
  return JSON.stringify(
    readManifests(text)
      .map((manifest) => JSON.stringify(manifest))
      .sort(),
  );
}
