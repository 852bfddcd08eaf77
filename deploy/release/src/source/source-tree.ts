// The sources of a release: the commit, and a copy of the files with the commit's time.
import { chmodSync, copyFileSync, existsSync, mkdirSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { must, run } from '@taskgraph/helm-check/program';
import { LauncherError } from '@taskgraph/launcher/errors';
import { repositoryPath } from '../repository.ts';

export interface SourceTree {
  /** The full hash of the commit. */
  readonly commit: string;
  /** Seconds since 1970: SOURCE_DATE_EPOCH, or the time of the commit. Every file of an artifact gets it. */
  readonly epoch: number;
  /** The files that Git does not ignore, sorted. */
  readonly files: readonly string[];
  /** The files that differ from the commit, as `git status --porcelain` lists them. */
  readonly changes: readonly string[];
}

/** Throws a LauncherError outside of a Git checkout. */
export async function readSourceTree(): Promise<SourceTree> {
  const git = (...given: string[]) => must('git', given, { cwd: repositoryPath() });
  const inside = await run('git', ['rev-parse', '--verify', 'HEAD'], { cwd: repositoryPath() });
  if (inside.exitCode !== 0)
    throw new LauncherError(
      'this folder is not a Git checkout with a commit',
      'Release from a clone of the repository.',
    );
  const files = (await git('ls-files', '--cached', '--others', '--exclude-standard', '-z'))
    .split('\0')
    .filter((path) => path !== '');
  return {
    commit: inside.stdout.trim(),
    epoch: readEpoch(process.env.SOURCE_DATE_EPOCH ?? (await git('log', '-1', '--format=%ct')).trim()),
    files: files.filter((path) => existsSync(repositoryPath(path))).sort(),
    changes: (await git('status', '--porcelain')).split('\n').filter((line) => line !== ''),
  };
}

/** Throws a LauncherError if a tag of the version belongs to another commit. */
export async function checkTag(version: string, commit: string): Promise<void> {
  const { exitCode, stdout } = await run(
    'git',
    ['rev-parse', '--verify', '--quiet', `refs/tags/v${version}^{commit}`],
    {
      cwd: repositoryPath(),
    },
  );
  if (exitCode === 0 && stdout.trim() !== commit)
    throw new LauncherError(`the tag v${version} belongs to another commit`, 'Choose another version.');
}

/** Copies the files into a folder. Only the times and whether a file may run are equal on all machines. */
export function copySourceTree({ files, epoch }: SourceTree, folder: string): void {
  for (const path of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(repositoryPath(path), target);
    chmodSync(target, (statSync(repositoryPath(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
    utimesSync(target, epoch, epoch);
  }
}

function readEpoch(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new LauncherError('SOURCE_DATE_EPOCH is not a number of seconds', 'Unset it to use the time of the commit.');
}
