// claim of the command line, against a running service.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../failures.ts';
import { type Home, openHome } from './support/home.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;

let home: Home;
beforeAll(async () => {
  home = await openHome({ TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await stack.token(emailOf('ann')) });
});
afterAll(() => home?.remove());

interface Claim {
  readonly node: { readonly id: string; readonly title: string } | null;
  readonly claimId: string | null;
}

test('[CLAIM1 CLAIM2 CLAIM3] a script claims, renews, completes and releases', async () => {
  for (const title of ['Write the texts', 'Draw the pages']) await home.run(['add', title, '--tag', 'docs']);
  await home.run(['add', 'Elsewhere', '--due', '2026-12-24']);
  const docs = ['--where', '{"tag": ["docs"]}'];
  const first = await home.json<Claim>('claim', ...docs, '--lease', '15');
  const second = await home.run(['claim', ...docs]);
  expect(second.stdout).toMatch(/^\S{36} \w.*\nclaim [0-9a-f-]{36} until /);
  expect((await home.run(['claim', ...docs])).stdout).toBe('There is nothing to claim.\n');
  expect(await home.json<Claim>('claim', ...docs)).toEqual({ node: null, claimId: null });
  const [id = '', claim = ''] = [first.node?.id, first.claimId ?? ''];
  expect((await home.run(['claim', 'renew', id, claim, '--lease', '60'])).code).toBe(0);
  expect((await home.run(['show', id])).stdout).toMatch(/claimed +by ann until /);
  const wrong = await home.run(['done', id, '--claim', id]);
  expect([wrong.code, wrong.stderr]).toEqual([EXIT.conflict, expect.stringContaining('conflict.claim_ended')]);
  expect((await home.run(['done', id, '--claim', claim])).stdout).toContain('Completed');
  expect((await home.run(['show', id])).stdout).not.toContain('claimed');
  const named = await home.json<Claim>('claim', 'Elsewhere');
  expect(named.node?.title).toBe('Elsewhere');
  const again = await home.run(['claim', 'Elsewhere']);
  expect([again.code, again.stderr]).toEqual([EXIT.conflict, expect.stringContaining('conflict.claimed')]);
  expect((await home.run(['claim', 'release', 'Elsewhere', named.claimId ?? ''])).stdout).toContain('Available');
  expect((await home.run(['claim', 'release', 'Elsewhere'])).code).toBe(0);
});

test.each([
  [['--where', '{'], '--where is not JSON'],
  [['--lease', 'long'], 'is not a number of minutes'],
  [['--lease', '0'], 'bad_request.out_of_range'],
  [['Elsewhere', '--root', 'Elsewhere'], '--root and --where choose a node'],
])('wrong options are refused: claim %j', async (flags, message) => {
  const { code, stderr } = await home.run(['claim', ...flags]);
  expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining(message)]);
});
