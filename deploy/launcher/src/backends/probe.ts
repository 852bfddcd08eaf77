// Exchanges a few lines of a text protocol over TCP, to identify a server without a client library.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const ANSWER_LIMIT = 64 * 1024;
const ATTEMPT_TIMEOUT_MS = 3_000;
const POLL_MS = 50;

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Sends the text, and resolves with the answer once `isComplete` accepts it. */
export function exchange(address: Address, text: string, isComplete: (answer: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    let answer = '';
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(ATTEMPT_TIMEOUT_MS, () => fail(new Error(`no answer from ${address.host}:${address.port}`)));
    socket.setEncoding('utf8');
    socket.once('error', fail);
    socket.once('close', () =>
      fail(new Error(`${address.host}:${address.port} closed the connection: ${answer.trim()}`)),
    );
    socket.on('data', (chunk: string) => {
      answer += chunk;
      if (answer.length > ANSWER_LIMIT) fail(new Error('the answer is too long'));
      if (!isComplete(answer)) return;
      resolve(answer);
      socket.destroy();
    });
    socket.write(text);
  });
}

/** Repeats the attempt until it succeeds or the signal fires; the supervisor limits the time. */
export async function poll(attempt: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await attempt())) await sleep(POLL_MS, undefined, { signal });
}
