// HTTP requests from a chosen loopback address, with any headers and bodies.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';

const ANSWER_LIMIT_MS = 60_000;
/** The beginning of an answer is kept for its code, and the rest is discarded. */
const KEPT_BYTES = 4_096;

export interface RawRequest {
  readonly url: string;
  readonly method: string;
  readonly path: string;
  /** An address such as 127.0.2.7. */
  readonly from: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface RawAnswer {
  /** 0 if the connection ended without an answer. */
  readonly status: number;
  readonly bytes: number;
  readonly beginning: string;
}

/** Sends one request over its own connection. Never rejects: a failure has the status 0. */
export function send({ url, method, path, from, token, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve) => {
    const outgoing = request({
      hostname,
      port,
      method,
      path,
      localAddress: from,
      agent: false,
      timeout: ANSWER_LIMIT_MS,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        // Node sets no Content-Length for DELETE.
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
        ...headers,
      },
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => resolve({ status: 0, bytes: 0, beginning: '' }));
    outgoing.on('response', (incoming) => {
      let bytes = 0;
      let beginning = '';
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (beginning.length < KEPT_BYTES) beginning += chunk.toString('latin1');
      });
      const done = () => resolve({ status: incoming.statusCode ?? 0, bytes, beginning });
      incoming.on('end', done).on('error', done);
    });
    outgoing.end(text);
  });
}

/** A bare connection from an address, or null if it is refused. */
export async function openConnection(url: string, from: string): Promise<Socket | null> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: from });
  socket.on('error', () => socket.destroy());
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined);
  return socket.destroyed ? null : socket;
}
