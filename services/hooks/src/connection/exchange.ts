// Sends one request on an open connection and reads the answer.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { failureOf, SendFailure } from '../failure.ts';
import { timeout } from './connect.ts';

/** Bytes of an answer's head, and of its body, that are read. */
const MAXIMUM_ANSWER_BYTES = 16 * 1024;
/** Answers with 1xx before the one that counts. */
const MAXIMUM_INTERIM_ANSWERS = 8;
/** The lowest status that HTTP has. */
const LOWEST_STATUS = 100;

interface RequestContent {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ReceiverAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/**
 * Posts the body and closes the connection. Resolves with the answer's head once at most 16 KiB of
 * its body are read. Rejects with a `SendFailure` if there is none before the signal is aborted.
 */
export function exchange(
  socket: Socket,
  { url, headers, body }: RequestContent,
  signal: AbortSignal,
): Promise<ReceiverAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => socket,
      method: 'POST',
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body), connection: 'close' },
      maxHeaderSize: MAXIMUM_ANSWER_BYTES,
      signal,
    });
    let answer: IncomingMessage | null = null;
    let interim = 0;
    const finish = (failure?: SendFailure) => {
      socket.destroy();
      if (answer === null) return reject(failure);
      const { statusCode: status = 0, headers } = answer;
      if (status < LOWEST_STATUS) return reject(new SendFailure('response', 'the status is none of HTTP'));
      resolve({ status, retryAfter: headers['retry-after'] });
    };
    request.on('information', () => {
      interim++;
      if (interim > MAXIMUM_INTERIM_ANSWERS) finish(new SendFailure('response', 'too many answers with 1xx came'));
    });
    request.on('error', (error) => finish(signal.aborted ? timeout() : failureOf(error, 'response')));
    request.once('close', () => finish(new SendFailure('response', 'the connection was closed')));
    // An answer with 101 has no body.
    request.once('upgrade', (head) => {
      answer = head;
      finish();
    });
    request.once('response', (head) => {
      answer = head;
      readBody(head, finish);
    });
    request.end(body);
  });
}

/** Calls back when the body or the allowed part of it is read, or cannot be. */
function readBody(answer: IncomingMessage, done: () => void): void {
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes >= MAXIMUM_ANSWER_BYTES) done();
  });
  for (const event of ['end', 'error', 'close'] as const) answer.once(event, done);
}
