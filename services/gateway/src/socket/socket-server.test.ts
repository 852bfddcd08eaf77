// Rooms as topics of uWebSockets.js, with real sockets of a gateway.
import { expect, test } from 'vitest';
import { rawGateways } from '../test/support/raw-gateway.ts';

const start = rawGateways();

async function connected(gateway: Awaited<ReturnType<typeof start>>, token: string) {
  const client = await gateway.dial();
  await client.receive('0{');
  client.send(`40${JSON.stringify({ api_token: token })}`);
  await client.receive('42["connected"');
  return client;
}

test('[EVT1] a packet for several rooms reaches the sockets in each once, and no others', async () => {
  const gateway = await start({ ann: 'root:a', bob: 'root:b', cid: 'root:c' });
  const clients = await Promise.all(['ann', 'bob', 'cid'].map((name) => connected(gateway, name)));
  gateway.io.to(['root:a', 'root:b']).emit('feeds:heads', { feeds: {} });
  gateway.io.to('root:c').emit('feeds:heads', { feeds: { c: 1 } });
  await Promise.all(clients.map((client) => client.receive('feeds:heads')));
  const heads = clients.map(({ packets }) => packets.filter((text) => text.includes('feeds:heads')));
  const both = ['42["feeds:heads",{"feeds":{}}]'];
  expect(heads).toEqual([both, both, ['42["feeds:heads",{"feeds":{"c":1}}]']]);
});

test('an operation that needs a list of the sockets in a room throws instead of reaching no socket', async () => {
  const gateway = await start({ ann: 'root:a' });
  const client = await connected(gateway, 'ann');
  expect(() => gateway.io.in('root:a').disconnectSockets()).toThrow('no room has a list');
  expect(() => gateway.io.to('root:a').except('root:b').emit('feeds:heads', {})).toThrow('whole rooms');
  gateway.io.disconnectSockets();
  await client.end();
});
