// Rates the rendered objects with kube-score: no critical findings except the ones that a values
// file accepts on purpose.
import { type MatrixFile, template } from './helm.ts';
import { run } from './program.ts';

/**
 * Accepted findings, by values file (`*` for all) and check, with the reason. An unused entry is an
 * error.
 */
const ACCEPTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '*': { 'container-image-pull-policy': 'tags are never moved, and pods must start while the registry is away' },
  trial: { 'pod-networkpolicy': 'the file turns network policies off' },
  exports: {
    'container-security-context-readonlyrootfilesystem':
      'the Neo4j of the restore test writes its configuration and logs',
    'container-security-context-user-group-id': 'the image of this Neo4j has its own user',
  },
  openshift: { 'container-security-context-user-group-id': 'the platform chooses user and group' },
};

const CRITICAL = 1;

interface ScoreFinding {
  readonly object_name: string;
  readonly checks: readonly {
    readonly check: { readonly id: string; readonly name: string };
    readonly grade: number;
    readonly skipped: boolean;
    readonly comments: readonly { readonly summary: string; readonly path: string }[] | null;
  }[];
}

/**
 * Throws on a critical finding that is not accepted, and on an accepted finding that no longer
 * occurs. Returns the counts.
 */
export async function checkScore(helm: string, kubeScore: string, file: MatrixFile, version: string): Promise<string> {
  const input = await template(helm, { files: [file.path], kubeVersion: version });
  const minor = `v${version.split('.').slice(0, 2).join('.')}`;
  const flags = ['--ignore-container-cpu-limit', '--kubernetes-version', minor, '--output-format', 'json'];
  const { stdout, stderr } = await run(kubeScore, ['score', ...flags, '-'], { input });
  if (stdout === '') throw new Error(`kube-score judges nothing of ${file.name}:\n${stderr}`);
  const scored = JSON.parse(stdout) as readonly ScoreFinding[];
  const judged = scored
    .flatMap((object) => object.checks.map((check) => ({ object: object.object_name, ...check })))
    .filter(({ skipped }) => !skipped);
  const critical = judged.filter(({ grade }) => grade === CRITICAL);
  const accepted = Object.keys({ ...ACCEPTED['*'], ...ACCEPTED[file.name] });
  const wrong = critical.filter(({ check }) => !accepted.includes(check.id));
  if (wrong.length > 0) {
    const lines = wrong.map(({ object, check, comments }) => `- ${object}: ${check.name} ${JSON.stringify(comments)}`);
    throw new Error(`kube-score finds critical things in ${file.name}:\n${lines.join('\n')}`);
  }
  const needless = accepted.find((id) => !critical.some(({ check }) => check.id === id));
  if (needless !== undefined) throw new Error(`${file.name}: ${needless} needs no acceptance any more`);
  return `${judged.length} checks, nothing critical but ${critical.length} accepted with their reason`;
}
