// SHA-256 of the artifacts, and the file that `sha256sum --check` reads.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Artifact {
  readonly name: string;
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
}

const CHECKSUMS = 'SHA256SUMS';

export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Writes the checksums of all files in a folder, and returns them by name. */
export function writeChecksums(folder: string): Artifact[] {
  const names = readdirSync(folder).sort();
  const artifacts = names.map((name) => ({ name, digest: sha256(readFileSync(join(folder, name))) }));
  writeFileSync(join(folder, CHECKSUMS), artifacts.map(({ name, digest }) => `${digest}  ${name}\n`).join(''));
  return artifacts;
}
