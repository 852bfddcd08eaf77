// `npm run test:clients`: clients in other languages against a stack of its own. Third-party
// generators make clients from openapi.json, each of which is compiled, makes nodes, links them,
// finds and reads them. The Python package is built, installed into an empty environment and tested
// there. Python's library of Standard Webhooks verifies our signatures. The programs of docs/start.md
// and docs/recipes.md in Python and Go run. Tests without their language on this machine are skipped
// with a message; a package registry that fails is a failure. `--quick` leaves out the generators of
// Go, which take minutes to compile.
// `--if-changed` stops if the tests succeeded for the same description and the same clients before.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startTestStack } from '@taskgraph/testkit/stack/stack';
import { proofOf } from '../check-api/proof.ts';
import { PROGRAMS, REPOSITORY } from '../check-api/tools.ts';
import type { ClientTest } from './client-test.ts';
import { goClients } from './generated-go.ts';
import { generatedPython } from './generated-python.ts';
import { goPages, pythonPages } from './page-programs.ts';
import { pythonPackage } from './python-package.ts';
import { pythonWebhooks } from './python-webhooks.ts';

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, 'if-changed': { type: 'boolean', default: false } },
});

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

const print = (line: string) => void process.stdout.write(`${line}\n`);

const proofs = ['clients-proven', ...(values.quick ? ['quick-clients-proven'] : [])].map((name) =>
  proofOf(name, INPUTS, /\.(json|js|py|go|mod|sum|yaml|toml|md)$/),
);
if (values['if-changed'] && proofs.some(({ exists }) => exists))
  print('the description of the API and the clients are unchanged since the last success');
else if (await testClients(values.quick ? QUICK_TESTS : ALL_TESTS)) proofs.at(-1)?.save();

/** Whether every test ran and succeeded. A failure sets the exit code, and the other tests still run. */
async function testClients(tests: readonly ClientTest[]): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-clients-'));
  try {
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
    if (succeeded < runnable.length) process.exitCode = 1;
    return succeeded === tests.length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The number of tests that succeed on a new stack. */
async function callStack(built: ReadonlyMap<ClientTest, string>): Promise<number> {
  const stack = await startTestStack({ ownDatabase: true });
  try {
    const [url = ''] = stack.urls;
    const given = { url, newToken: (email: string) => stack.token(email) };
    let succeeded = 0;
    for (const [test, folder] of built) if (await attempt(test.name, () => test.run(folder, given))) succeeded++;
    return succeeded;
  } finally {
    await stack.stop();
  }
}

function isRunnable({ name, lacks }: ClientTest): boolean {
  const lacking = lacks();
  if (lacking !== null) print(`${name}: SKIPPED, this machine lacks ${lacking}`);
  return lacking === null;
}

/** Prints the result of a step and its time. Returns whether it succeeded. */
async function attempt(name: string, step: () => Promise<string>): Promise<boolean> {
  const startMs = Date.now();
  const seconds = () => `${((Date.now() - startMs) / 1_000).toFixed(1)} s`;
  try {
    print(`${name}: ${await step()}, ${seconds()}`);
    return true;
  } catch (error) {
    print(`${name}: FAILED after ${seconds()}\n${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
