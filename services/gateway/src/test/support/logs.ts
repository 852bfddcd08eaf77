// Searches logs for secrets, and finds lines of the audit log.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Those of these secrets that stand in a log of the folder, themselves or as SHA-256, and the
 * beginning of password hashes if it does.
 */
export function foundInLogs(folder: string, secrets: Iterable<string>): string[] {
  const text = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  if (!text.includes('the gateway listens')) throw new Error(`there are no logs of a gateway in ${folder}`);
  const hashes = [...secrets].map((secret) => createHash('sha256').update(secret).digest('hex'));
  return [...secrets, ...hashes, '$argon2'].filter((secret) => text.includes(secret));
}

/** All lines of the audit log in the logs of the folder. */
export function auditLines(folder: string): Record<string, unknown>[] {
  const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
  return lines.filter((line) => line.includes('"audit":true')).map((line) => JSON.parse(line));
}
