// The sources of a release: the commit, and a copy of the files with the commit's time.
import { chmodSync, copyFileSync, lstatSync, mkdirSync, statSync, utimesSync } from 'node:fs';
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

/** Throws a LauncherError outside of a Git checkout, and for files that are not regular ones. */
export async function readSourceTree(folder = repositoryPath()): Promise<SourceTree> {
  const git = (...given: string[]) => must('git', given, { cwd: folder });
  const inside = await run('git', ['rev-parse', '--verify', 'HEAD'], { cwd: folder });
  if (inside.exitCode !== 0)
    throw new LauncherError(
      'this folder is not a Git checkout with a commit',
      'Release from a clone of the repository.',
    );
  const listed = (await git('ls-files', '--cached', '--others', '--exclude-standard', '-z')).split('\0');
  const files = listed.filter((path) => path !== '' && isThere(join(folder, path))).sort();
  checkRegular(folder, files);
  return {
    commit: inside.stdout.trim(),
    epoch: readEpoch(process.env.SOURCE_DATE_EPOCH ?? (await git('log', '-1', '--format=%ct')).trim()),
    files,
    // Settings of the user may hide new files.
    changes: (await git('status', '--porcelain', '--untracked-files=all')).split('\n').filter((line) => line !== ''),
  };
}

/**
 * Throws a LauncherError if one of the files is not a regular file. A symbolic link would be packed
 * with the content of its target, which may be outside of the repository.
 */
export function checkRegular(folder: string, files: readonly string[]): void {
  const other = files.filter((path) => !lstatSync(join(folder, path)).isFile());
  if (other.length > 0)
    throw new LauncherError(
      `${other.length} files are not regular files, such as ${other[0]}`,
      'A release packs no symbolic links and no submodules: replace them by files.',
    );
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

/** A link exists even if its target does not. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function readEpoch(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new LauncherError('SOURCE_DATE_EPOCH is not a number of seconds', 'Unset it to use the time of the commit.');
}
