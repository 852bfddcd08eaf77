// The Python tools of the tests of clients, in one virtual environment.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../check-api/process.ts';
import { CACHE, pythonPrograms, REPOSITORY } from '../check-api/tools.ts';

export const PYTHON_PACKAGE = join(REPOSITORY, 'libs', 'client-python');

/** The build backend and the generator of models have the versions of pyproject.toml. */
const PACKAGES = ['openapi-python-client==0.29.1', 'build==1.6.1', 'mypy==2.4.1'];

/** Installs the tools at first use. Returns the folder of their programs. */
export function clientTools(): string {
  return pythonPrograms(join(CACHE, 'client-tools'), [...PACKAGES, ...requirements()]);
}

/** Builds the wheel of our client into the folder. Returns its path. */
export function buildWheel(folder: string): string {
  const given = ['-m', 'build', '--wheel', '--no-isolation', '--outdir', folder, PYTHON_PACKAGE];
  must(join(clientTools(), 'python'), given);
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.whl')) ?? '');
}

function requirements(): string[] {
  const text = readFileSync(join(PYTHON_PACKAGE, 'pyproject.toml'), 'utf8');
  const [, list = ''] = /^requires = \[(.*)\]$/m.exec(text) ?? [];
  const found = [...list.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
  if (found.length === 0) throw new Error('libs/client-python/pyproject.toml names no requirements of the build');
  return found;
}
