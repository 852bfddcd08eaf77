// The baseline of waiting calls: plain uWebSockets.js that leaves responses open until a request
// wakes their group. It checks tokens in memory and stores nothing else. It runs in its own
// process, as a gateway does.
import uws, { type HttpResponse } from 'uWebSockets.js';

export interface PollServerOptions {
  readonly tokens: readonly string[];
}

export interface PollServerActs {
  /** Returns the port. */
  listen(input: null): Promise<number>;
  /** How many responses wait. */
  count(input: null): Promise<number>;
}

const EMPTY = JSON.stringify({ ok: true, nodes: [] });

export async function openPollServer({ tokens }: PollServerOptions): Promise<PollServerActs> {
  const groups = new Map(tokens.map((token) => [`Bearer ${token}`, new Set<HttpResponse>()]));
  const app = uws.App();
  app.get('/wait', (response, request) => {
    const group = groups.get(request.getHeader('authorization'));
    if (group === undefined) return void response.writeStatus('401 Unauthorized').end();
    group.add(response);
    response.onAborted(() => group.delete(response));
  });
  app.post('/wake', (response, request) => {
    const group = groups.get(request.getHeader('authorization'));
    response.onAborted(() => undefined);
    response.onData((_, isLast) => {
      if (!isLast) return;
      for (const waiting of group ?? []) waiting.cork(() => waiting.end(EMPTY));
      group?.clear();
      response.cork(() => response.end(EMPTY));
    });
  });
  return {
    listen: () =>
      new Promise((resolve, reject) => {
        app.listen('127.0.0.1', 0, (listening) => {
          if (listening === false) reject(new Error('the poll server found no port'));
          else resolve(uws.us_socket_local_port(listening));
        });
      }),
    count: async () => [...groups.values()].reduce((sum, { size }) => sum + size, 0),
  };
}
