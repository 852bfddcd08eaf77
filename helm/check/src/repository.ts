// The paths of the repository and the chart, seen from `src` and from `dist`.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = resolve(fileURLToPath(new URL('../../..', import.meta.url)));

export function repositoryPath(...parts: string[]): string {
  return join(REPOSITORY, ...parts);
}

export function chartPath(...parts: string[]): string {
  return repositoryPath('helm', 'taskgraph', ...parts);
}
