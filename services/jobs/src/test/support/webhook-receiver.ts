// A receiver of webhooks on this machine, which answers as a test tells it.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedMessage {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly type: string;
    readonly data: {
      readonly hook: string;
      readonly events?: readonly { readonly type: string; readonly id: string; readonly after?: object | null }[];
    };
  };
  readonly atMs: number;
}

export interface ReceiverAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer comes after it. */
  readonly after?: Promise<unknown>;
}

/** One address of the receiver. */
export interface ReceiverPath {
  readonly url: string;
  /** All messages, in the order of their arrival. */
  readonly messages: ReceivedMessage[];
  /** The events of the accepted messages. */
  readonly accepted: { readonly type: string; readonly id: string; readonly after?: object | null }[];
  /** Decides the answer to each message; a 200 by default. */
  answer: (message: ReceivedMessage) => ReceiverAnswer;
}

export interface Receiver {
  /** Opens another address. */
  open(): ReceiverPath;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const paths = new Map<string, ReceiverPath>();
  const server = createServer((request, response) => {
    const path = paths.get(request.url ?? '');
    if (path === undefined) return void response.writeHead(404).end();
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', async () => {
      const id = String(request.headers['webhook-id']);
      const message = { id, headers: request.headers, text, body: JSON.parse(text), atMs: Date.now() };
      path.messages.push(message);
      const { status, headers = {}, after } = path.answer(message);
      await after;
      if (status < 300) path.accepted.push(...(message.body.data.events ?? []));
      response.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    open() {
      const name = `/hook-${paths.size}?key=secret-in-the-query`;
      const path: ReceiverPath = {
        url: `http://127.0.0.1:${port}${name}`,
        messages: [],
        accepted: [],
        answer: () => ({ status: 200 }),
      };
      paths.set(name, path);
      return path;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
