// The package libs/client-python: its wheel is built and installed into an empty environment, where
// its tests and the examples of its README run.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../check-api/process.ts';
import { CACHE, pythonPrograms, REPOSITORY } from '../check-api/tools.ts';
import { type ClientOutcome, type ClientStack, skipped } from './client-test.ts';

const PACKAGE = join(REPOSITORY, 'libs', 'client-python');

/** The build backend and the generator have the versions of pyproject.toml. */
const BUILD_PACKAGES = ['build==1.6.1', 'mypy==2.4.1'];

export async function testPythonPackage({ url, newToken }: ClientStack): Promise<ClientOutcome> {
  const tools = buildTools();
  if (tools === null) return skipped('Python 3');
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-wheel-'));
  try {
    const must = (program: string, given: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const { status, output, stdout } = run(program, given, { cwd: folder, env });
      if (status !== 0) throw new Error(`${given.join(' ')} ended with ${status}:\n${output}`);
      return stdout;
    };
    must(join(tools, 'python'), ['-m', 'build', '--wheel', '--no-isolation', '--outdir', folder, PACKAGE]);
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl')) ?? '';
    const programs = pythonPrograms(join(folder, 'installed'), [`${join(folder, wheel)}[sockets]`]) ?? '';
    const python = join(programs, 'python');
    must(python, ['-m', 'unittest', 'discover', '--start-directory', join(PACKAGE, 'tests')]);
    const files = examples().map((text, index) => {
      const file = join(folder, `example${index + 1}.py`);
      writeFileSync(file, text);
      return file;
    });
    const mypy = ['--config-file', join(PACKAGE, 'pyproject.toml'), '--python-executable', python];
    must(join(tools, 'mypy'), [...mypy, '--package', 'taskgraph_client']);
    must(join(tools, 'mypy'), [...mypy, ...files]);
    for (const [index, file] of files.entries()) {
      const token = await newToken(`reader${index}@example.com`);
      must(python, [file], { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token });
    }
    return { succeeded: true, message: `its wheel passes its tests, and ${files.length} examples run` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The programs that build the wheel and check types; null without Python. */
function buildTools(): string | null {
  const wanted = [...requirements(), ...BUILD_PACKAGES];
  const folder = join(CACHE, `python-client-${wanted.join('-').replaceAll('==', '-')}`);
  // The last of the packages.
  return existsSync(join(folder, 'bin', 'mypy')) ? join(folder, 'bin') : pythonPrograms(folder, wanted);
}

function requirements(): string[] {
  const text = readFileSync(join(PACKAGE, 'pyproject.toml'), 'utf8');
  const [, list = ''] = /^requires = \[(.*)\]$/m.exec(text) ?? [];
  const found = [...list.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
  if (found.length === 0) throw new Error('libs/client-python/pyproject.toml names no requirements of the build');
  return found;
}

/** The Python programs of the README. */
function examples(): string[] {
  const text = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
  return [...text.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
}
