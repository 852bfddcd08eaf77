// Requests over persistent connections that read only the status and the bytes, so that the
// benchmark's client costs as little as possible.
import { Agent, request } from 'node:http';
import { gunzipSync } from 'node:zlib';

export interface RestResponse {
  readonly status: number;
  readonly body: string;
  /** Bytes of the content as it arrived. */
  readonly wireBytes: number;
  /** Seconds, if the response has the header. */
  readonly retryAfter: number | null;
}

export interface Rest {
  send(method: string, path: string, token: string, body?: object): Promise<RestResponse>;
  close(): void;
}

/**
 * `connections` is the maximum of open connections; further requests wait for one. Answers are
 * compressed as for browsers and other clients if `acceptsGzip` is set.
 */
export function openRest(url: string, connections: number, acceptsGzip = false): Rest {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    send(method, path, token, body) {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
      if (acceptsGzip) headers['Accept-Encoding'] = 'gzip';
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
            const bytes = Buffer.concat(chunks);
            const isCompressed = response.headers['content-encoding'] === 'gzip';
            const seconds = response.headers['retry-after'];
            resolve({
              status: response.statusCode ?? 0,
              body: (isCompressed ? gunzipSync(bytes) : bytes).toString(),
              wireBytes: bytes.length,
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

/** Sends a request that must succeed; returns the parsed body. */
export async function ask<T>(rest: Rest, method: string, path: string, token: string, body?: object): Promise<T> {
  const { status, body: text } = await rest.send(method, path, token, body);
  if (status !== 200) throw new Error(`${method} ${path} was answered ${status}: ${text.slice(0, 200)}`);
  return JSON.parse(text) as T;
}
