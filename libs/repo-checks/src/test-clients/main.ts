// `npm run test:clients`: clients in other languages against a stack of its own. Third-party
// generators make clients from openapi.json, each of which is compiled, makes nodes, links them and
// reads them. The Python package is built, installed into an empty environment and tested there.
// Parts without their language on this machine are skipped with a message.
import { startTestStack } from '@taskgraph/testkit/stack/stack';
import { testGoClients } from './generated-go.ts';
import { testPythonClient } from './generated-python.ts';
import { testPythonPackage } from './python-package.ts';

/** The tests of clients, by their names in messages. */
const TESTS = {
  'openapi-python-client': testPythonClient,
  'oapi-codegen and ogen': testGoClients,
  'libs/client-python': testPythonPackage,
} as const;

const stack = await startTestStack({ ownDatabase: true });
try {
  const [url = ''] = stack.urls;
  for (const [name, test] of Object.entries(TESTS)) {
    const startedMs = Date.now();
    const outcome = await test({ url, newToken: (email) => stack.token(email) });
    const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1);
    process.stdout.write(`${name}: ${outcome.message}, ${seconds} s\n`);
    if (!outcome.succeeded) process.exitCode = 1;
  }
} finally {
  await stack.stop();
}
