// Log files of child processes. Their size is bounded, and their last lines are shown if a child
// dies at its start.
import { closeSync, copyFileSync, mkdirSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { lastLines } from './commands.ts';

const LOG_LIMIT_BYTES = 20 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;

export interface LogFile {
  readonly path: string;
  readonly descriptor: number;
  /** The last lines since the file was opened. */
  tail(): string[];
  close(): void;
}

/** Opens a log in append mode, so that it can be truncated while a child writes to it. */
export function openLog(path: string): LogFile {
  mkdirSync(dirname(path), { recursive: true });
  boundLog(path);
  const descriptor = openSync(path, 'a', 0o600);
  const openedAt = statSync(path).size;
  return {
    path,
    descriptor,
    tail: () => readTail(path, openedAt),
    close: () => closeSync(descriptor),
  };
}

/**
 * Truncates a log that has grown too long, and keeps one older part. Lines written during the copy
 * are lost.
 */
export function boundLog(path: string, limitBytes = LOG_LIMIT_BYTES): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= limitBytes) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path);
}

function readTail(path: string, openedAt: number): string[] {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const from = Math.max(size - TAIL_BYTES, openedAt > size ? 0 : openedAt);
  const buffer = Buffer.alloc(Math.max(0, size - from));
  const descriptor = openSync(path, 'r');
  try {
    readSync(descriptor, buffer, 0, buffer.length, from);
  } finally {
    closeSync(descriptor);
  }
  const text = buffer.toString('utf8');
  return text.trim() === '' ? [] : lastLines(text);
}
