// A token of a profile under TASKGRAPH_URL of another service: no command asks that service anything.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../failures.ts';
import { openProfiles } from '../service/profiles.ts';
import { type Home, openHome } from './support/running.ts';

/** A service that writes down what it is asked. */
function openService() {
  const asked: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers.authorization}`);
    response.end('{}');
  });
  return new Promise<{ asked: string[]; url: string; close: () => void }>((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({ asked, url: `http://127.0.0.1:${port}`, close: () => server.close() });
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
  await openProfiles({}, undefined).keep({ url: own?.url ?? '', token: 'tg_ann', email: 'ann@example.com' });
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
  '%s is refused',
  async (words) => {
    const { code, stderr } = await home.run(words.split(' '));
    expect([code, stderr]).toEqual([EXIT.signedOut, expect.stringContaining('its token is not sent elsewhere')]);
    expect([own?.asked, other?.asked]).toEqual([[], []]);
  },
);

test('logout asks the service of the profile', async () => {
  const { code, stdout } = await home.run(['logout']);
  expect([code, stdout]).toEqual([0, 'default: signed out\n']);
  expect([own?.asked, other?.asked]).toEqual([['POST /api/logout Bearer tg_ann'], []]);
});
