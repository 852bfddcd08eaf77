// Helm as the proof uses it: lint and template of the chart, with values from a file or from an object.
import { parseAllDocuments, stringify } from 'yaml';
import { chartPath } from './repository.ts';
import { type Outcome, run } from './running.ts';

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
  // biome-ignore lint/suspicious/noExplicitAny: the objects are of many kinds, and the cases name what they look at.
  readonly [field: string]: any;
}

/** Values as a file's path, or as an object. */
export type Given = string | Readonly<Record<string, unknown>>;

export interface Rendering {
  readonly text: string;
  readonly manifests: readonly Manifest[];
}

export const RELEASE = 'proof';
export const NAMESPACE = 'proof';

function valuesOf(given: Given): { flags: string[]; input: string } {
  if (typeof given === 'string') return { flags: ['--values', given], input: '' };
  // Helm reads YAML 1.1, in which an unquoted yes or on is no text.
  return { flags: ['--values', '-'], input: stringify(given, { version: '1.1' }) };
}

export async function lint(helm: string, given: Given, kubeVersion: string): Promise<Outcome> {
  const { flags, input } = valuesOf(given);
  return run(helm, ['lint', '--strict', '--kube-version', kubeVersion, ...flags, chartPath()], { input });
}

/** Runs `helm template`; the outcome may be a refusal. */
export async function tryTemplate(helm: string, given: Given, kubeVersion: string): Promise<Outcome> {
  const { flags, input } = valuesOf(given);
  const target = ['template', RELEASE, chartPath(), '--namespace', NAMESPACE, '--kube-version', kubeVersion];
  return run(helm, [...target, ...flags], { input });
}

/** Renders the chart. Throws where Helm refuses it. */
export async function template(helm: string, given: Given, kubeVersion: string): Promise<Rendering> {
  const { code, stdout, stderr } = await tryTemplate(helm, given, kubeVersion);
  if (code !== 0) throw new Error(`helm template refused what it should render:\n${stderr}`);
  return { text: stdout, manifests: readManifests(stdout) };
}

export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => {
      if (document.errors.length > 0) throw new Error(`what was rendered is no YAML: ${document.errors[0]?.message}`);
      return document.toJS() as Manifest | null;
    })
    .filter((manifest) => manifest !== null);
}
