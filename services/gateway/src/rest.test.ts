// What REST answers before any worker is asked, with a hand-made app in place of a server.
import { expect, it } from 'vitest';
import { countInFlight } from './in-flight.ts';
import { serveRest } from './rest.ts';
import type { App } from './uws.ts';

interface Answered {
  status: string;
  type: string;
  body: Record<string, unknown>;
}

/** Asks the gateway over REST, without a token. */
function ask(method: string, path: string, problem: string | null = null): Answered {
  const answered: Answered = { status: '', type: '', body: {} };
  let handler: ((response: unknown, request: unknown) => void) | undefined;
  const app = {
    any: (_: string, taken: typeof handler) => {
      handler = taken;
    },
  };
  serveRest(app as unknown as App, {
    authenticate: () => Promise.reject(new Error('nobody is asked for a token')),
    dispatch: () => Promise.reject(new Error('nothing is dispatched')),
    accountRoutes: [],
    allowedOrigins: [],
    problem: () => problem,
    isStopping: () => false,
    inFlight: countInFlight(),
    log: { error: () => undefined },
  });
  const response = {
    onAborted: () => undefined,
    cork: (write: () => void) => write(),
    writeStatus: (status: string) => {
      answered.status = status;
    },
    writeHeader: (name: string, value: string) => {
      if (name === 'Content-Type') answered.type = value;
    },
    end: (text: string) => {
      answered.body = JSON.parse(text);
    },
  };
  const request = { getMethod: () => method, getUrl: () => path, getQuery: () => undefined, getHeader: () => '' };
  handler?.(response, request);
  return answered;
}

it('says without a token that it is up', () => {
  const trace_id = expect.stringMatching(/^[0-9a-f]{32}$/);
  const body = { ok: true, status: 'up', trace_id };
  const type = 'application/json; charset=utf-8';
  expect(ask('get', '/api/health')).toEqual({ status: '200 OK', type, body });
});

it('[GEN3] says what is wrong where it is not up, with 500 and internal', () => {
  const { status, body } = ask('get', '/api/health', 'The message bus is not connected.');
  expect(status).toBe('500 Internal Server Error');
  expect(body).toMatchObject({ ok: false, error: 'internal', message: 'The message bus is not connected.' });
});

it('[GEN7] knows no other path and no other method', () => {
  for (const [method, path] of [
    ['post', '/api/health'],
    ['get', '/api/v1/graph'],
    ['get', '/health'],
  ] as const) {
    expect(ask(method, path)).toMatchObject({ status: '404 Not Found', body: { ok: false, error: 'not_found' } });
  }
});
