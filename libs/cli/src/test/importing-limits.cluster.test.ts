// An import that meets a limit of a running service: that of each call by REST, by which its later parts have to wait.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { psplib } from './support/psplib.ts';
import { type Home, openHome } from './support/running.ts';

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

test('[IO1 LIM2] an import that meets a limit says so, waits as long as it is told, and goes on', async () => {
  const [url = ''] = stack.urls;
  const environment = { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await stack.token(emailOf('ann')) };
  const { text, jobs, links } = psplib(100, 3);
  const path = join(home.environment.XDG_DATA_HOME ?? '', '..', 'limited.sm');
  await writeFile(path, text);
  const { code, stdout, stderr } = await home.run(['--json', 'import', path], { environment });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/waiting \d+ s, as the service asks/)]);
  expect(JSON.parse(stdout)).toMatchObject({ nodes: jobs, links, there: 0 });
  const listed = await home.run(['--json', 'ls'], { environment });
  expect(JSON.parse(listed.stdout)).toHaveLength(jobs);
});
