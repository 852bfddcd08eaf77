// The record of a check that succeeded, so that the same files are not checked again.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './tools.ts';

export interface Proof {
  /** Whether the check succeeded for the same files before. */
  readonly exists: boolean;
  save(): void;
}

/** The proof of a check by its name. `inputs` are the folders and files with all its inputs and tools. */
export function proofOf(name: string, inputs: readonly string[], suffixes: RegExp): Proof {
  const hash = createHash('sha256');
  for (const input of inputs) {
    if (statSync(input).isFile()) {
      hash.update(readFileSync(input));
      continue;
    }
    for (const path of filesIn(input).filter((each) => suffixes.test(each))) {
      hash.update(path).update(readFileSync(join(input, path)));
    }
  }
  const digest = hash.digest('hex');
  const file = join(CACHE, name);
  return {
    exists: existsSync(file) && readFileSync(file, 'utf8') === digest,
    save() {
      mkdirSync(CACHE, { recursive: true });
      writeFileSync(file, digest);
    },
  };
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .sort();
}
