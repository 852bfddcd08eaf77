// If TASKGRAPH_URL names another service than the profile, no command sends a request to it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../failures.ts';
import { createProfiles } from '../service/profiles.ts';
import { type Home, openHome } from './support/home.ts';

/** A service that records its requests. */
function openService() {
  const requests: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    requests.push(`${method} ${url} ${headers.authorization}`);
    response.end('{}');
  });
  return new Promise<{ requests: string[]; url: string; close: () => void }>((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({ requests, url: `http://127.0.0.1:${port}`, close: () => server.close() });
    }),
  );
}

const VARIABLES = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME'] as const;
const before = VARIABLES.map((name) => [name, process.env[name]] as const);
let [own, other]: Awaited<ReturnType<typeof openService>>[] = [];
let home: Home;
beforeAll(async () => {
  [own, other] = await Promise.all([openService(), openService()]);
  home = await openHome({ TASKGRAPH_URL: other?.url ?? '' });
  await createProfiles({}, undefined).save({ url: own?.url ?? '', token: 'tg_ann', email: 'ann@example.com' });
});
afterAll(async () => {
  own?.close();
  other?.close();
  await home?.remove();
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

test.each(['whoami', 'ls', 'ls --offline', 'add x', 'watch', 'mcp', 'history', 'export', 'plan', 'open'])(
  '%s is rejected',
  async (words) => {
    const { code, stderr } = await home.run(words.split(' '));
    expect([code, stderr]).toEqual([EXIT.signedOut, expect.stringContaining('its token is not sent elsewhere')]);
    expect([own?.requests, other?.requests]).toEqual([[], []]);
  },
);

test('logout calls the service of the profile', async () => {
  const { code, stdout } = await home.run(['logout']);
  expect([code, stdout]).toEqual([0, 'default: signed out\n']);
  expect([own?.requests, other?.requests]).toEqual([['POST /api/logout Bearer tg_ann'], []]);
});
