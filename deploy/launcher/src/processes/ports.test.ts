import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePortRange, freePorts, LOOPBACK, requireFreePort } from './ports.ts';

test('free ports are different and free', async () => {
  const ports = await freePorts(5);
  expect(new Set(ports).size).toBe(5);
  await Promise.all(ports.map((port) => requireFreePort(port, 'PORT')));
});

test('they are outside the range of outgoing connections', async () => {
  for (const port of await freePorts(20)) expect(port).toBeLessThan(32_768);
});

test('all ports of a range are free', async () => {
  const first = await freePortRange(3);
  for (let index = 0; index < 3; index += 1) await requireFreePort(first + index, 'PORT');
});

test('the error for a port in use names the variable that changes it', async () => {
  const [port = 0] = await freePorts(1);
  const server = createServer().listen(port, LOOPBACK);
  await expect(requireFreePort(port, 'PORT')).rejects.toMatchObject({
    message: `port ${port} is taken by another program`,
    remedy: 'Stop it, or choose another with PORT.',
  });
  server.close();
});
