// An import that reaches the rate limit of REST calls of a running service and waits.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, openHome } from './support/home.ts';
import { psplib } from './support/psplib.ts';

let stack: TestStack;
let home: Home;
beforeAll(async () => {
  home = await openHome();
  const environment = { TASKGRAPH_LIMITS: 'on', LIMIT_REST_CALL: '1/8', COMMAND_DEADLINE_MS: '60000' };
  stack = await startTestStack({ workers: 1, environment });
});
afterAll(async () => {
  await stack?.stop();
  await home?.remove();
});

test('[IO1 LIM2] an import that reaches a rate limit says so, waits and continues', async () => {
  const [url = ''] = stack.urls;
  const environment = { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await stack.token(emailOf('ann')) };
  const { text, jobs, links } = psplib(100, 3);
  const path = join(home.environment.XDG_DATA_HOME ?? '', '..', 'limited.sm');
  await writeFile(path, text);
  const { code, stdout, stderr } = await home.run(['--json', 'import', path], { environment });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/rate limit reached, waiting \d+ s/)]);
  expect(JSON.parse(stdout)).toMatchObject({ nodes: jobs, links, there: 0 });
  const listed = await home.run(['--json', 'ls'], { environment });
  expect(JSON.parse(listed.stdout)).toHaveLength(jobs);
});
