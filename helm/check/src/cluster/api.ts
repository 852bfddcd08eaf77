// A client of the test cluster's API: JSON requests by token, over TLS with the server's own
// certificate.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';

export interface ApiAccess {
  readonly port: number;
  readonly token: string;
  /** The server's self-signed certificate. */
  readonly certificate: string;
}

export interface ApiResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: objects of many kinds, and callers name what they look at.
  readonly body: any;
}

const TIMEOUT_MS = 30_000;

export interface Api {
  /** Sends a request; returns the answer for any status. */
  send(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiResponse>;
  /** Returns the body of an answer below 300; throws otherwise. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  get(path: string): Promise<any>;
  /** Sends a request that must succeed. */
  must(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiResponse>;
}

export function connect({ port, token, certificate }: ApiAccess): Api {
  const ca = readFileSync(certificate);
  const api: Api = {
    send(method, path, body, contentType = 'application/json') {
      return new Promise((resolve, reject) => {
        const text = body === undefined ? '' : JSON.stringify(body);
        const headers = {
          Authorization: `Bearer ${token}`,
          Accept: 'application/json',
          'Content-Type': contentType,
          // Node sends no length with DELETE, and the server would read the body as the next
          // request.
          'Content-Length': Buffer.byteLength(text),
        };
        const options = { host: '127.0.0.1', port, method, path, headers, ca, timeout: TIMEOUT_MS };
        const sent = request(options, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const said = Buffer.concat(chunks).toString();
            const isJson = response.headers['content-type']?.includes('json') ?? false;
            resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(said) : said });
          });
        });
        sent.on('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path}`)));
        sent.on('error', reject);
        sent.end(text);
      });
    },
    async get(path) {
      return (await api.must('GET', path)).body;
    },
    async must(...given) {
      const answer = await api.send(...given);
      if (answer.status >= 300) {
        throw new Error(`${given[0]} ${given[1]}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      return answer;
    },
  };
  return api;
}
