// The package libs/client-python: its wheel is built and installed into an empty environment, where
// its tests and the examples of its README run.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../check-api/process.ts';
import { hasPython, pythonPrograms } from '../check-api/tools.ts';
import type { ClientTest } from './client-test.ts';
import { buildWheel, clientTools, PYTHON_PACKAGE } from './python-tools.ts';

const EXAMPLE = /^example\d+\.py$/;

export const pythonPackage: ClientTest = {
  name: 'libs/client-python',
  lacks: () => (hasPython() ? null : 'Python 3'),
  build(folder) {
    const tools = clientTools();
    const programs = pythonPrograms(join(folder, 'installed'), [`${buildWheel(folder)}[sockets]`]);
    const python = join(programs, 'python');
    must(python, ['-m', 'unittest', 'discover', '--start-directory', join(PYTHON_PACKAGE, 'tests')]);
    for (const [index, text] of examples().entries()) writeFileSync(join(folder, `example${index + 1}.py`), text);
    const mypy = ['--config-file', join(PYTHON_PACKAGE, 'pyproject.toml'), '--python-executable', python];
    must(join(tools, 'mypy'), [...mypy, '--package', 'taskgraph_client'], { cwd: folder });
    must(join(tools, 'mypy'), [...mypy, ...exampleFiles(folder)], { cwd: folder });
  },
  async run(folder, { url, newToken }) {
    const files = exampleFiles(folder);
    for (const file of files) {
      const token = await newToken(`${file.replace('.py', '')}@example.com`);
      const env = { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token };
      must(join(folder, 'installed', 'bin', 'python'), [file], { cwd: folder, env });
    }
    return `its wheel passes its tests, and ${files.length} examples run`;
  },
};

/** The Python programs of the README. */
function examples(): string[] {
  const text = readFileSync(join(PYTHON_PACKAGE, 'README.md'), 'utf8');
  return [...text.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
}

function exampleFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => EXAMPLE.test(name));
}
