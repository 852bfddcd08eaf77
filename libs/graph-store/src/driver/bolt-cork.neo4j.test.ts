// The writes of Bolt connections to their sockets. The driver hands over small chunks, and our cork
// joins the chunks of a turn of the event loop. If the driver stops doing so, the cork can go.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { makeCertificates } from '@taskgraph/testkit/stack/certificates';
import { expect, onTestFinished, test } from 'vitest';
import { testDatabaseOptions } from '../test/support/database.ts';
import { countSocketWrites } from '../test/support/socket-writes.ts';
import { type DatabaseOptions, openDatabase } from './database.ts';
import { failureOf } from './failures.ts';

/** The size of the driver's chunks. */
const CHUNK_BYTES = 1_400;
const TEXT = 'x'.repeat(100 * CHUNK_BYTES);
/** The driver's last message on a connection: a chunk of two bytes and the message's end. */
const GOODBYE = Buffer.from('0002b0020000', 'hex');

interface Relay {
  readonly options: DatabaseOptions;
  readonly port: number;
  /** The bytes that the driver sent over its first connection, complete when it is closed. */
  readonly sent: Promise<Buffer>;
}

/** A relay between the driver and the database of the run, which may speak TLS to the driver. */
async function startRelay(encrypted: boolean): Promise<Relay> {
  const options = testDatabaseOptions();
  const { hostname, port: databasePort } = new URL(options.url);
  const { server, tls } = encrypted ? tlsServer() : { server: createServer(), tls: {} };
  const sent = new Promise<Buffer>((resolve) => {
    server.on(encrypted ? 'secureConnection' : 'connection', (client: Socket) => {
      const chunks: Buffer[] = [];
      client.on('data', (chunk) => chunks.push(chunk));
      client.on('close', () => resolve(Buffer.concat(chunks)));
      relay(client, connect(Number(databasePort), hostname));
    });
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { options: { ...options, url: `bolt${encrypted ? '+s' : ''}://localhost:${port}`, tls }, port, sent };
}

function relay(client: Socket, target: Socket): void {
  client.pipe(target);
  target.pipe(client);
  client.on('error', () => target.destroy());
  target.on('error', () => client.destroy());
}

function tlsServer() {
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-bolt-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { authority, server } = makeCertificates(folder);
  const files = { cert: readFileSync(server.certificate), key: readFileSync(server.key) };
  return { server: createTlsServer(files), tls: { ca: authority } };
}

test.each([
  ['without TLS', false],
  ['with TLS', true],
])('the chunks of a statement leave in one write, and closing loses none: %s', async (_, encrypted) => {
  const { options, port, sent } = await startRelay(encrypted);
  const database = openDatabase(options);
  await database.verify();
  const counts = countSocketWrites(port);
  const transaction = database.begin();
  expect(await transaction.run('RETURN size($text) AS size', { text: TEXT })).toEqual([{ size: TEXT.length }]);
  counts.stop();
  await transaction.rollback();
  expect(counts.bytes).toBeGreaterThan(TEXT.length);
  // If this fails, the driver joins its chunks itself, and bolt-cork.ts has become superfluous.
  expect(counts.chunks).toBeGreaterThan(counts.bytes / CHUNK_BYTES);
  expect(counts.writes).toBe(1);
  await database.close();
  expect((await sent).subarray(-GOODBYE.length)).toEqual(GOODBYE);
});

test('a statement fails if its connection is destroyed before the corked write, and the next one has another', async () => {
  const { options, port } = await startRelay(false);
  const database = openDatabase(options);
  await database.verify();
  const { cork } = Socket.prototype;
  onTestFinished(() => void Object.assign(Socket.prototype, { cork }));
  let destroyed = 0;
  Socket.prototype.cork = function (this: Socket) {
    cork.call(this);
    if (this.remotePort !== port || destroyed > 0) return;
    destroyed++;
    // Precedes the uncorking, which the driver's channel requests next.
    process.nextTick(() => this.destroy(new Error('reset by the test')));
  };
  const transaction = database.begin();
  const failure = await transaction.run('RETURN $text AS text', { text: TEXT }).catch((error: unknown) => error);
  await transaction.rollback();
  expect(destroyed).toBe(1);
  expect(failureOf(failure)).toBe('away');
  expect(await database.read('RETURN size($text) AS size', { text: TEXT })).toEqual([{ size: TEXT.length }]);
  await database.close();
});
