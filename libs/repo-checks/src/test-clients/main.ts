// `npm run test:clients`: clients in other languages against a stack of its own. Third-party
// generators make clients from openapi.json, each of which is compiled, makes nodes, links them,
// finds and reads them. The Python package is built, installed into an empty environment and tested
// there. Parts without their language on this machine are skipped with a message. `--if-changed`
// stops if the tests succeeded for the same description and the same clients before.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestStack } from '@taskgraph/testkit/stack/stack';
import { proofOf } from '../check-api/proof.ts';
import { PROGRAMS, REPOSITORY } from '../check-api/tools.ts';
import type { ClientOutcome, ClientStack } from './client-test.ts';
import { testGoClients } from './generated-go.ts';
import { testPythonClient } from './generated-python.ts';
import { testPythonPackage } from './python-package.ts';

/** The tests of clients, by their names in messages. */
const TESTS = {
  'openapi-python-client': testPythonClient,
  'oapi-codegen and ogen': testGoClients,
  'libs/client-python': testPythonPackage,
} as const;

const HERE = dirname(fileURLToPath(import.meta.url));
const INPUTS = [
  join(REPOSITORY, 'docs', 'api'),
  PROGRAMS,
  join(REPOSITORY, 'libs', 'client-python'),
  HERE,
  join(HERE, '..', 'check-api'),
];

const tell = (line: string) => void process.stdout.write(`${line}\n`);

const proof = proofOf('clients-proven', INPUTS, /\.(json|js|py|go|mod|sum|yaml|toml|md)$/);
if (process.argv.includes('--if-changed') && proof.exists)
  tell('the description of the API and the clients are unchanged since the last success');
else if (await testClients()) proof.save();

/** Whether every part ran and succeeded. */
async function testClients(): Promise<boolean> {
  const stack = await startTestStack({ ownDatabase: true });
  try {
    const [url = ''] = stack.urls;
    const outcomes: ClientOutcome[] = [];
    for (const [name, test] of Object.entries(TESTS)) {
      const startedMs = Date.now();
      const outcome = await outcomeOf(test, { url, newToken: (email) => stack.token(email) });
      tell(`${name}: ${outcome.message}, ${((Date.now() - startedMs) / 1_000).toFixed(1)} s`);
      outcomes.push(outcome);
    }
    if (outcomes.some(({ succeeded }) => !succeeded)) process.exitCode = 1;
    return outcomes.every(({ succeeded, isSkipped }) => succeeded && isSkipped !== true);
  } finally {
    await stack.stop();
  }
}

/** A failed installation fails its part, and the other parts still run. */
async function outcomeOf(
  test: (stack: ClientStack) => Promise<ClientOutcome>,
  stack: ClientStack,
): Promise<ClientOutcome> {
  try {
    return await test(stack);
  } catch (error) {
    return { succeeded: false, message: `FAILED\n${String(error)}` };
  }
}
