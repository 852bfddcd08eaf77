// Has kube-score judge what the matrix renders: nothing critical but what a values file asks for on purpose.
import { template } from './helm.ts';
import type { MatrixFile } from './matrix.ts';
import { run } from './running.ts';

/** What is accepted, by values file (`*` for all) and check, with the reason. One that no longer occurs is an error. */
const ACCEPTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '*': { 'container-image-pull-policy': 'tags are never moved, and pods must start while the registry is away' },
  trial: { 'pod-networkpolicy': 'the file turns network policies off' },
  openshift: { 'container-security-context-user-group-id': 'the platform chooses user and group' },
};

const CRITICAL = 1;

interface Scored {
  readonly object_name: string;
  readonly checks: readonly {
    readonly check: { readonly id: string; readonly name: string };
    readonly grade: number;
    readonly skipped: boolean;
    readonly comments: readonly { readonly summary: string; readonly path: string }[] | null;
  }[];
}

export interface ScoreCounts {
  readonly checks: number;
  readonly accepted: number;
}

/** Throws where something critical is found that is not accepted, or nothing is found of what is. */
export async function checkScore(
  helm: string,
  kubeScore: string,
  file: MatrixFile,
  kubeVersion: string,
): Promise<ScoreCounts> {
  const { text } = await template(helm, file.path, kubeVersion);
  const minor = `v${kubeVersion.split('.').slice(0, 2).join('.')}`;
  const flags = [
    'score',
    '--ignore-container-cpu-limit',
    '--kubernetes-version',
    minor,
    '--output-format',
    'json',
    '-',
  ];
  const { stdout, stderr } = await run(kubeScore, flags, { input: text });
  const scored = JSON.parse(stdout || `{"error": ${JSON.stringify(stderr)}}`) as readonly Scored[];
  const judged = scored.flatMap((object) => object.checks.map((check) => ({ object: object.object_name, ...check })));
  const critical = judged.filter(({ grade, skipped }) => grade === CRITICAL && !skipped);
  const reasons: Readonly<Record<string, string>> = { ...ACCEPTED['*'], ...ACCEPTED[file.name] };
  const wrong = critical.filter(({ check }) => reasons[check.id] === undefined);
  if (wrong.length > 0) {
    const lines = wrong.map(({ object, check, comments }) => `- ${object}: ${check.name} ${JSON.stringify(comments)}`);
    throw new Error(`kube-score finds critical things in ${file.name}:\n${lines.join('\n')}`);
  }
  for (const id of Object.keys(reasons)) {
    if (!critical.some(({ check }) => check.id === id))
      throw new Error(`${file.name}: ${id} needs no acceptance any more`);
  }
  return { checks: judged.filter(({ skipped }) => !skipped).length, accepted: critical.length };
}
