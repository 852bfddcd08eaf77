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
  const unknown = lines.filter((line) => !isKnown(line));
  if (unknown.length > 0) throw new Error(`${RULES} has rules of an unknown form: ${unknown.join(', ')}`);
  const admitted = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  return files.filter((path) => admitted.some((rule) => admits(rule, path)));
}

/** `*` excludes everything, `**\/` and a name exclude files that Git ignores, and `!` admits a path with at most one star. */
function isKnown(line: string): boolean {
  if (line.startsWith('!')) return line.split('*').length <= 2;
  return line === '*' || (line.startsWith('**/') && !line.slice('**/'.length).includes('/'));
}

/** A rule admits a file, or everything in a folder. A star matches no slash. */
function admits(rule: string, path: string): boolean {
  const [head = '', tail] = rule.split('*');
  if (tail === undefined) return path === rule || path.startsWith(`${rule}/`);
  const isLongEnough = path.length >= head.length + tail.length;
  return isLongEnough && path.startsWith(head) && path.endsWith(tail) && !path.slice(head.length).includes('/');
}
