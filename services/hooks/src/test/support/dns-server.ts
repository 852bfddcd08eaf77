// A DNS server for tests, whose answers change from query to query.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The families of A and AAAA; a query for name servers has none. */
const TYPES: Readonly<Record<number, number>> = { 1: 4, 28: 6 };
const HEADER_BYTES = 12;
const NAME_ERROR = 3;
const SERVER_FAILURE = 2;

/**
 * The addresses for a query; null for a name that does not exist, `failure` for a failing server, and
 * `silence` for one that does not answer.
 */
type Answers = (name: string, query: number) => readonly string[] | null | 'failure' | 'silence';

export interface DnsServer {
  /** In the form that resolvers take. */
  readonly address: string;
  /** The names that were asked for, once for each family. */
  readonly queries: readonly string[];
  close(): Promise<void>;
}

/** Starts the server on loopback. `query` counts the earlier queries for the same name and family. */
export async function startDnsServer(answers: Answers): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const queries: string[] = [];
  socket.on('message', (message, { port, address }) => {
    const { name, type, questionBytes } = readQuestion(message);
    const family = TYPES[type] ?? 0;
    const key = `${name} ${family}`;
    const found = answers(name, queries.filter((query) => query === key).length);
    queries.push(key);
    if (found === 'silence') return;
    const question = message.subarray(HEADER_BYTES, HEADER_BYTES + questionBytes);
    socket.send(replyTo(message, question, { type, family, found }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    close: () => new Promise((resolve) => void socket.close(() => resolve())),
  };
}

function readQuestion(message: Buffer): { name: string; type: number; questionBytes: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: message.readUInt16BE(at + 1),
    questionBytes: at + 5 - HEADER_BYTES,
  };
}

interface Reply {
  readonly type: number;
  readonly family: number;
  readonly found: ReturnType<Answers>;
}

function replyTo(message: Buffer, question: Buffer, { type, family, found }: Reply): Buffer {
  const addresses = Array.isArray(found) ? found.filter((address) => isIP(address) === family) : [];
  const records = addresses.map((address) => {
    const data = Buffer.from(ipaddr.parse(address).toByteArray());
    const head = Buffer.alloc(HEADER_BYTES);
    // A pointer to the name of the question.
    head.writeUInt16BE(0xc0_0c, 0);
    head.writeUInt16BE(type, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(data.length, 10);
    return Buffer.concat([head, data]);
  });
  const head = Buffer.alloc(HEADER_BYTES);
  message.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x81_80 | (found === null ? NAME_ERROR : found === 'failure' ? SERVER_FAILURE : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, question, ...records]);
}
