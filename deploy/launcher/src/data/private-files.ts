// Files with secrets: only their owner can read them, and they are replaced atomically.
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode, LauncherError } from '../errors.ts';

/**
 * When it returns, the file and its name are on the disk. A database keeps the password that it was
 * given, so the launcher must not lose it.
 */
export function writePrivate(path: string, text: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${process.pid}.new`;
  writeFileSync(unfinished, text, { mode: 0o600, flush: true });
  renameSync(unfinished, path);
  forceNames(folder);
}

function forceNames(folder: string): void {
  // Windows cannot open folders.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function writePrivateJson(path: string, value: unknown): void {
  writePrivate(path, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** The file's value, or undefined if the file does not exist. */
export function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    throw new LauncherError(
      `${path} is damaged`,
      'Restore an older copy of it, or delete the data folder to start over.',
    );
  }
}

/**
 * Gives a file a second name. Unlike a rename it fails if the name exists, so only one of two
 * launchers succeeds.
 */
export function linkOnce(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}
