// The build context of the image: `docker build --file deploy/image/Dockerfile - < archive`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '@taskgraph/helm-check/program';
import type { Build } from './build.ts';

/** With an archive as the context, Docker does not apply these rules. */
const RULES = join('deploy', 'image', 'Dockerfile.dockerignore');

/** The same files give the same bytes on every machine. Needs GNU tar. */
export async function packImageContext({ version, tree, sources, target }: Build): Promise<void> {
  const files = admittedFiles(tree.files, readFileSync(join(sources, RULES), 'utf8'));
  const owner = ['--owner=0', '--group=0', '--numeric-owner'];
  const input = ['--directory', sources, '--no-recursion', '--verbatim-files-from', '--files-from=-'];
  await must(
    'tar',
    [
      '--create',
      '--format=ustar',
      `--mtime=@${tree.epoch}`,
      ...owner,
      '--use-compress-program=gzip -9 --no-name',
      `--file=${join(target, `taskgraph-image-context-${version.text}.tar.gz`)}`,
      ...input,
    ],
    { input: files.map((path) => `${path}\n`).join('') },
  );
}

/** The files that a list of rules admits. Throws if a rule has a form that this function does not know. */
export function admittedFiles(files: readonly string[], rules: string): string[] {
  const lines = rules.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  // Rules that begin with `**/` exclude files that Git ignores, and `*` excludes everything else.
  const unknown = lines.filter((line) => !/^(\*|\*\*\/[^/]+|![^/*]*\*?[^*]*)$/.test(line));
  if (unknown.length > 0) throw new Error(`${RULES} has rules of an unknown form: ${unknown.join(', ')}`);
  const admitted = lines.filter((line) => line.startsWith('!')).map((line) => patternOf(line.slice(1)));
  return files.filter((path) => admitted.some((pattern) => pattern.test(path)));
}

/** Admits a file, or everything in a folder. `*` matches no slash. */
function patternOf(rule: string): RegExp {
  const escaped = rule.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('[^/]*')}(/|$)`);
}
