// Requests over kept connections that look at nothing but the status and the bytes: a benchmark's client must not cost more than it has to.
import { Agent, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** Seconds, where the answer bears the header. */
  readonly retryAfter: number | null;
}

export interface Rest {
  send(method: string, path: string, token: string, body?: object): Promise<Answer>;
  close(): void;
}

/** `connections`: most that are open at once; further requests wait for one. */
export function openRest(url: string, connections: number): Rest {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    send(method, path, token, body) {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
      if (text !== undefined) {
        headers['Content-Type'] = 'application/json';
        headers['Content-Length'] = String(Buffer.byteLength(text));
      }
      return new Promise((resolve, reject) => {
        const sent = request(url + path, { method, headers, agent }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const seconds = response.headers['retry-after'];
            resolve({
              status: response.statusCode ?? 0,
              body: Buffer.concat(chunks).toString(),
              retryAfter: seconds === undefined ? null : Number(seconds),
            });
          });
        });
        sent.on('error', reject);
        sent.end(text);
      });
    },
    close: () => agent.destroy(),
  };
}

/** The same for requests that have to succeed: the parsed body. */
export async function ask<T>(rest: Rest, method: string, path: string, token: string, body?: object): Promise<T> {
  const { status, body: text } = await rest.send(method, path, token, body);
  if (status !== 200) throw new Error(`${method} ${path} was answered ${status}: ${text.slice(0, 200)}`);
  return JSON.parse(text) as T;
}
