// `npm run test:clients`: clients in other languages against a stack of its own. Third-party
// generators make clients from openapi.json, each of which is compiled, makes nodes, links them,
// finds and reads them. The Python package is built, installed into an empty environment and tested
// there. Python's library of Standard Webhooks verifies our signatures. The programs of docs/start.md
// and docs/recipes.md in Python and Go run. Tests without their language on this machine are skipped
// with a message; a package registry that fails is a failure. `--quick` leaves out the generators of
// Go, which take minutes to compile.
// `--if-changed` stops if the tests succeeded for the same description and the same clients before.
import { mkdtempSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAMS, REPOSITORY } from '../check-api/tools.ts';
import type { ClientTest } from './client-test.ts';
import { goClients } from './generated-go.ts';
import { generatedPython } from './generated-python.ts';
import { goPages, pythonPages } from './page-programs.ts';
import { pythonPackage } from './python-package.ts';
import { pythonWebhooks } from './python-webhooks.ts';
import { attempt, type Outcome, onOwnStack, print, runTests } from './test-run.ts';

const QUICK_TESTS: readonly ClientTest[] = [generatedPython, pythonPackage, pythonWebhooks, pythonPages, goPages];
const ALL_TESTS: readonly ClientTest[] = [...QUICK_TESTS, goClients];

const HERE = dirname(fileURLToPath(import.meta.url));
const INPUTS = [
  join(REPOSITORY, 'docs', 'api'),
  PROGRAMS,
  join(REPOSITORY, 'libs', 'client-python'),
  join(REPOSITORY, 'docs', 'start.md'),
  join(REPOSITORY, 'docs', 'recipes.md'),
  HERE,
  join(HERE, '..', 'check-api'),
  join(HERE, '..', 'site'),
];

await runTests({
  name: 'clients',
  inputs: INPUTS,
  suffixes: /\.(json|js|py|go|mod|sum|yaml|toml|md)$/,
  unchanged: 'the description of the API and the clients are unchanged since the last success',
  test: (folder, isQuick) => testClients(folder, isQuick ? QUICK_TESTS : ALL_TESTS),
});

/** Builds each client, then calls a new stack with those that are built. */
async function testClients(folder: string, tests: readonly ClientTest[]): Promise<Outcome> {
  const [runnable, built] = [tests.filter(isRunnable), new Map<ClientTest, string>()];
  for (const test of runnable) {
    const own = mkdtempSync(join(folder, 'client-'));
    const build = async () => {
      test.build(own);
      return 'it is built';
    };
    if (await attempt(test.name, build)) built.set(test, own);
  }
  const succeeded = built.size > 0 ? await callStack(built) : 0;
  if (succeeded < runnable.length) return 'failed';
  return succeeded === tests.length ? 'succeeded' : 'incomplete';
}

/** The number of tests that succeed on a new stack. */
function callStack(built: ReadonlyMap<ClientTest, string>): Promise<number> {
  return onOwnStack(async (stack) => {
    let succeeded = 0;
    for (const [test, folder] of built) if (await attempt(test.name, () => test.run(folder, stack))) succeeded++;
    return succeeded;
  });
}

function isRunnable({ name, lacks }: ClientTest): boolean {
  const lacking = lacks();
  if (lacking !== null) print(`${name}: SKIPPED, this machine lacks ${lacking}`);
  return lacking === null;
}
