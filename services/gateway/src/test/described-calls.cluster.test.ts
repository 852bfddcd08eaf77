// Calls generated from the service's own descriptions, for some seconds. `npm run test:api` runs
// for minutes.
import { testRest } from '@taskgraph/repo-checks/test-api/rest';
import { testSockets } from '@taskgraph/repo-checks/test-api/sockets';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { expect, test } from 'vitest';

const stack = sharedStack();
const [url = ''] = stack.urls;
const SEED = 1;

test('REST answers made-up requests as openapi.json says', async () => {
  const told: string[] = [];
  const asked = { url, token: await stack.token(emailOf('rest')), seed: SEED, seconds: 20, isQuick: true };
  const isFine = await testRest({ ...asked, print: (text) => void told.push(text) });
  expect(isFine, told.join('')).toBe(true);
});

test('sockets acknowledge made-up payloads as asyncapi.json says', async () => {
  const told: string[] = [];
  const asked = { url, token: await stack.token(emailOf('sockets')), seed: SEED, seconds: 0 };
  const isFine = await testSockets({ ...asked, print: (text) => void told.push(text) });
  expect(isFine, told.join('')).toBe(true);
});
