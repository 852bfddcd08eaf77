// The programs of docs/start.md and docs/recipes.md in Python and Go.
// `site/programs.cluster.test.ts` runs the others.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../check-api/process.ts';
import { hasGo, hasPython, pythonPrograms, REPOSITORY, runGo } from '../check-api/tools.ts';
import { programsUnder } from '../site/page-programs.ts';
import type { ClientStack, ClientTest } from './client-test.ts';
import { buildWheel, clientTools } from './python-tools.ts';

const RESULT = 'Go live has status 0';
const read = (name: string) => readFileSync(join(REPOSITORY, 'docs', name), 'utf8');

export const pythonPages: ClientTest = {
  name: 'the Python programs of docs/start.md and docs/recipes.md',
  lacks: () => (hasPython() ? null : 'Python 3'),
  build(folder) {
    pythonPrograms(join(folder, 'installed'), [buildWheel(folder)]);
    const [start = ''] = programsUnder(read('start.md'), 'Python', 'python');
    const [claims = ''] = programsUnder(read('recipes.md'), 'Share work among agents', 'python');
    writeFileSync(join(folder, 'start.py'), start);
    writeFileSync(join(folder, 'claims.py'), claims);
    const python = join(folder, 'installed', 'bin', 'python');
    const given = ['--strict', '--python-executable', python, 'start.py'];
    must(join(clientTools(), 'mypy'), given, { cwd: folder });
  },
  async run(folder, stack) {
    const python = (file: string, env: Readonly<Record<string, string>>) =>
      must(join(folder, 'installed', 'bin', 'python'), [file], { cwd: folder, env });
    expectLine(python('start.py', await newUser(stack, 'start-python')), RESULT);
    const agent = await newUser(stack, 'recipe-claims');
    const titles = ['Write the texts', 'Draw a logo'];
    for (const title of titles) await add(agent, { title, tags: ['docs'] });
    await add(agent, { title: 'Without the tag' });
    const printed = python('claims.py', agent).trim().split('\n').sort();
    const wanted = titles.map((title) => `working on ${title}`).sort();
    if (printed.join() !== wanted.join()) throw new Error(`The claims printed another result: ${printed.join()}`);
    return 'both run: the first sees a status, the other claims and completes the tasks of its queue';
  },
};

export const goPages: ClientTest = {
  name: 'the Go program of docs/start.md',
  lacks: () => (hasGo() ? null : 'Go'),
  build(folder) {
    const [program = ''] = programsUnder(read('start.md'), 'Go', 'go');
    mkdirSync(join(folder, 'start'));
    writeFileSync(join(folder, 'start', 'main.go'), program);
    writeFileSync(join(folder, 'start', 'go.mod'), 'module taskgraph.example/start\n\ngo 1.21\n');
    // With the option of the other clients, whose build cache then has the standard library.
    runGo(['build', '-trimpath', '-o', join(folder, 'start-go'), '.'], join(folder, 'start'));
  },
  async run(folder, stack) {
    expectLine(must(join(folder, 'start-go'), [], { env: await newUser(stack, 'start-go') }), RESULT);
    return 'it needs the standard library alone, and sees a status';
  },
};

async function newUser({ url, newToken }: ClientStack, name: string): Promise<Record<string, string>> {
  return { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await newToken(`${name}@example.com`) };
}

async function add(user: Readonly<Record<string, string>>, fields: object): Promise<void> {
  const headers = { authorization: `Bearer ${user.TASKGRAPH_TOKEN}`, 'content-type': 'application/json' };
  const response = await fetch(`${user.TASKGRAPH_URL}/api/node`, {
    method: 'POST',
    headers,
    body: JSON.stringify(fields),
  });
  if (!response.ok) throw new Error(`node:add answered ${response.status}`);
}

function expectLine(printed: string, wanted: string): void {
  if (!printed.split('\n').includes(wanted))
    throw new Error(`It printed another result.\n  wanted: ${wanted}\n  got: ${printed}`);
}
