// The paths of the repository, seen from `src` and from `dist`.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = resolve(fileURLToPath(new URL('../../..', import.meta.url)));

export function repositoryPath(...parts: string[]): string {
  return join(REPOSITORY, ...parts);
}
