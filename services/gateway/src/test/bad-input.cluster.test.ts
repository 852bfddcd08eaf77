// Bad input over both transports to a running stack. Each is refused with a code and a trace id,
// and the process survives.

import { request } from 'node:http';
import { openRawSocket, type RawSocket, type RawSocketOptions } from '@taskgraph/testkit/stack/raw-socket';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { routesOf } from '@taskgraph/wire/operations/operation';
import { operations } from '@taskgraph/wire/operations/operations';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

const UNKNOWN_ID = '01890000-0000-7123-8000-000000000002';
const TOO_LONG = 'x'.repeat(300 * 1024);
const TRACE_ID = /^[0-9a-f]{32}$/;

interface ErrorBody {
  ok: boolean;
  error: string;
  trace_id: string;
  details?: { path?: string };
}

const stack = sharedStack();
const url = stack.urls[0]!;
let token: string;
let adminPort: number;

beforeAll(async () => {
  token = await stack.token(emailOf('ann'));
  adminPort = stack.adminPort('gateway-1');
});
afterEach(async () => {
  expect((await fetch(`${url}/api/health`)).status).toBe(200);
  // One that was started again would have another.
  expect(stack.adminPort('gateway-1')).toBe(adminPort);
});

describe('REST', () => {
  async function send(
    method: string,
    path: string,
    options: { body?: string | Uint8Array<ArrayBuffer>; headers?: object } = {},
  ) {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...options.headers };
    const body = options.body === undefined ? {} : { body: options.body };
    const response = await fetch(url + path, { method, headers, ...body });
    const answer = (await response.json()) as ErrorBody;
    expect(answer.trace_id).toMatch(TRACE_ID);
    return { status: response.status, code: answer.error, path: answer.details?.path };
  }
  const add = (body: string | Uint8Array<ArrayBuffer>, headers = {}) => send('POST', '/api/node', { body, headers });

  it('[GEN3] refuses a wrong or missing token, after the size and before the shape', async () => {
    const headers = { Authorization: 'Bearer wrong' };
    expect(await add('{', headers)).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(await add('{}', { Authorization: '' })).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(await add(TOO_LONG, headers)).toMatchObject({ status: 413, code: 'bad_request.too_large' });
    // Valid in form and checksum, but unknown.
    const nobodys = { Authorization: 'Bearer tg_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1yLcDB' };
    expect(await add('{}', nobodys)).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  it('[GEN4] refuses broken JSON, broken UTF-8 and values other than objects', async () => {
    expect(await add('{"title":')).toMatchObject({ status: 400, code: 'bad_request.invalid_json' });
    const broken = new Uint8Array([...Buffer.from('{"title":"'), 0xff, ...Buffer.from('"}')]);
    expect(await add(broken)).toMatchObject({ status: 400, code: 'bad_request.invalid_json' });
    for (const body of ['[]', '"text"', '5', 'null', 'true']) {
      expect(await add(body)).toMatchObject({ status: 400, code: 'bad_request.invalid_body' });
    }
  });

  it('[GEN4] refuses unknown, immutable, missing and invalid fields, and names them', async () => {
    expect(await add('{"__proto__":{"a":1}}')).toMatchObject({ code: 'bad_request.unknown_field', path: '__proto__' });
    expect(await add('{"constructor":{}}')).toMatchObject({ code: 'bad_request.unknown_field' });
    expect(await add('{"version":1}')).toMatchObject({ code: 'bad_request.immutable_field', path: 'version' });
    expect(await add('{"title":5}')).toMatchObject({ code: 'bad_request.invalid_title', path: 'title' });
    expect(await add(`{"tags":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)).toMatchObject({ status: 400 });
    expect(await send('PUT', '/api/node')).toMatchObject({ code: 'bad_request.missing_id' });
    expect(await send('PUT', '/api/node', { body: '{"id":"x","title":""}' })).toMatchObject({
      code: 'bad_request.invalid_uuid',
    });
  });

  it('[GEN7 WIRE1] answers 404 for an unknown id and an unknown path, and 405 for a wrong method', async () => {
    const body = JSON.stringify({ id: UNKNOWN_ID, title: 'a' });
    expect(await send('PUT', '/api/node', { body })).toMatchObject({ status: 404, code: 'not_found' });
    expect(await send('GET', '/api/nowhere')).toMatchObject({ status: 404, code: 'not_found' });
    expect(await send('PATCH', '/api/node')).toMatchObject({ status: 405, code: 'bad_request.method' });
  });

  it('[GEN5] refuses a query that is out of range, repeated or broken', async () => {
    expect(await send('GET', '/api/graph?limit=0')).toMatchObject({ code: 'bad_request.out_of_range' });
    expect(await send('GET', '/api/graph?limit=1&limit=2')).toMatchObject({ code: 'bad_request.invalid_limit' });
    expect(await send('GET', '/api/graph?limit=%zz')).toMatchObject({ status: 400, code: 'bad_request' });
  });

  it('[GEN13] deletes nothing if the query contradicts the body, or a parameter is misspelt', async () => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const made = await fetch(`${url}/api/node`, { method: 'POST', body: '{}', headers });
    const { diff } = (await made.json()) as { diff: { nodes: { after: { id: string } }[] } };
    const id = diff.nodes[0]?.after.id as string;
    const body = JSON.stringify({ id });
    const refused = (path: string) => ({ status: 400, code: 'bad_request.unknown_field', path });
    expect(await send('POST', '/api/node/trash', { body })).toMatchObject({ status: 200 });
    expect(await send('DELETE', '/api/node?dryrun=true', { body })).toMatchObject(refused('dryrun'));
    expect(await send('DELETE', `/api/node?id=${UNKNOWN_ID}`, { body })).toMatchObject(refused('id'));
    expect(await send('DELETE', `/api/node?id=${id}`, { body })).toMatchObject(refused('id'));
    expect(await send('DELETE', `/api/node?id=${id}&dryrun=true`)).toMatchObject(refused('dryrun'));
    expect(await send('DELETE', '/api/node?dryRun=true', { body })).toMatchObject({ status: 200 });
    expect(await send('DELETE', '/api/node', { body })).toMatchObject({ status: 200 });
  });

  it('[GEN5] revokes a grant by the query or by the body, and reads a list that is repeated', async () => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const made = await fetch(`${url}/api/node`, { method: 'POST', body: '{}', headers });
    const { diff } = (await made.json()) as { diff: { nodes: { after: { id: string } }[] } };
    const id = diff.nodes[0]?.after.id as string;
    const grants = { query: emailOf('by-query'), body: emailOf('by-body') };
    for (const email of Object.values(grants)) {
      expect(await send('POST', '/api/node/access', { body: JSON.stringify({ id, email }) })).toMatchObject({
        status: 200,
      });
    }
    const query = new URLSearchParams({ id, email: grants.query });
    expect(await send('DELETE', `/api/node/access?${query}`)).toMatchObject({ status: 200 });
    const body = JSON.stringify({ id, email: grants.body });
    expect(await send('DELETE', '/api/node/access', { body })).toMatchObject({ status: 200 });
    const left = await fetch(`${url}/api/node/access?id=${id}`, { headers });
    expect(await left.json()).toMatchObject({ grants: [] });
    const read = await fetch(`${url}/api/node?ids=${id}&ids=${UNKNOWN_ID}`, { headers });
    expect(await read.json()).toMatchObject({ nodes: [{ id }], missing: [{ id: UNKNOWN_ID }] });
  });

  it.each(
    operations
      .filter(({ transports: { rest } }) => rest.anyQuery === undefined)
      .flatMap((operation) => routesOf(operation).map(({ method, path }) => [method, path] as const)),
  )('[GEN4 GEN13] %s %s refuses unknown parameters', async (method, path) => {
    const refused = { status: 400, code: 'bad_request.unknown_field', path: 'dry_run' };
    expect(await send(method, `${path}?dry_run=1`)).toMatchObject(refused);
    // No read has a field of this name, which nodes and links do have.
    const owned = `${path}?lastBatchID=x`;
    if (method === 'GET') expect(await send(method, owned)).toMatchObject({ ...refused, path: 'lastBatchID' });
    if (method !== 'GET') expect(await send(method, `${path}?dry_run=1`, { body: '{}' })).toMatchObject(refused);
  });

  it('[NODE2] refuses a giant body without a length, and the answer arrives', async () => {
    const body = new ReadableStream({
      start(controller) {
        for (let index = 0; index < 40; index++) controller.enqueue(new Uint8Array(64 * 1024));
        controller.close();
      },
    });
    const init = { method: 'POST', body, duplex: 'half', headers: { Authorization: `Bearer ${token}` } };
    const response = await fetch(`${url}/api/node`, init as RequestInit);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ ok: false, error: 'bad_request.too_large' });
  });

  it('refuses a page of another origin, and an idempotency key that is too long or empty', async () => {
    const origin = { Origin: 'https://evil.example' };
    expect(await send('GET', '/api/graph', { headers: origin })).toMatchObject({
      status: 403,
      code: 'forbidden.origin',
    });
    for (const key of ['k'.repeat(256), '']) {
      const refused = { status: 400, code: 'bad_request.invalid_idempotencyKey' };
      expect(await add('{}', { 'Idempotency-Key': key })).toMatchObject(refused);
    }
  });
});

describe('sockets', () => {
  const open: RawSocket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) socket.close();
  });

  function dial(options: RawSocketOptions): RawSocket {
    const socket = openRawSocket(url, options);
    open.push(socket);
    return socket;
  }
  /** Resolves with the payload of `connected`, or with the error of a refused connection. */
  function greeting(socket: RawSocket): Promise<{ ok: boolean; message?: string; data?: ErrorBody; uid?: string }> {
    return new Promise((resolve) => {
      socket.on('connected', resolve);
      socket.on('connect_error', (error: Error & { data?: ErrorBody }) => {
        resolve({ ok: false, message: error.message, ...definedFields({ data: error.data }) });
      });
    });
  }
  async function connected(): Promise<RawSocket> {
    const socket = dial({ auth: { api_token: token } });
    expect(await greeting(socket)).toMatchObject({ ok: true });
    return socket;
  }
  async function call(socket: RawSocket, event: string, ...payloads: unknown[]): Promise<string> {
    const body: ErrorBody = await socket.timeout(20_000).emitWithAck(event, ...payloads);
    expect(body.trace_id).toMatch(TRACE_ID);
    return body.ok ? 'ok' : body.error;
  }

  it('[AUTH3] accepts a token in the auth payload and in the Authorization header', async () => {
    expect(await greeting(dial({ auth: { api_token: token } }))).toMatchObject({ ok: true });
    expect(await greeting(dial({ headers: { Authorization: `Bearer ${token}` } }))).toMatchObject({ ok: true });
  });

  it('[AUTH3] accepts a token as a subprotocol, and echoes Bearer but never the token', async () => {
    const { headers, greeted } = await upgradeWithSubprotocol(url, token);
    expect(headers['sec-websocket-protocol']).toBe('Bearer');
    expect(JSON.stringify(headers)).not.toContain(token);
    expect(greeted).toBe(true);
  });

  it('[AUTH3] refuses a wrong token, none, and a page of another origin', async () => {
    for (const options of [{ auth: { api_token: 'wrong' } }, { auth: { api_token: { toString: 1 } } }, {}]) {
      const { message, data } = await greeting(dial(options));
      expect(message).toBe('unauthorized');
      expect(data).toMatchObject({ ok: false, error: 'unauthorized', trace_id: expect.stringMatching(TRACE_ID) });
    }
    const foreign = dial({ auth: { api_token: token }, headers: { Origin: 'https://evil.example' } });
    expect(await greeting(foreign)).toMatchObject({ message: 'forbidden.origin' });
  });

  it('[GEN4] refuses malformed payloads, unknown events and bad fields', async () => {
    const socket = await connected();
    for (const payloads of [[], [null], ['text'], [[]], [{}, {}]]) {
      expect(await call(socket, 'node:add', ...payloads)).toBe('bad_request.invalid_body');
    }
    for (const event of ['nope', 'error', 'constructor', '__proto__']) {
      expect(await call(socket, event, {})).toBe('bad_request.unknown_event');
    }
    expect(await call(socket, 'node:add', JSON.parse('{"__proto__":{}}'))).toBe('bad_request.unknown_field');
    expect(await call(socket, 'node:add', { idempotencyKey: 5 })).toBe('bad_request.invalid_idempotencyKey');
    expect(await call(socket, 'node:update', { id: UNKNOWN_ID, title: 'a' })).toBe('not_found');
    expect(await call(socket, 'node:add', { title: 'still alive' })).toBe('ok');
  });

  it('[WIRE1 LIM4] closes a socket that sends binary data, with the reason', async () => {
    const socket = await connected();
    const closing = new Promise((resolve) => socket.once('closing', resolve));
    socket.emit('node:add', Buffer.from('a'), () => undefined);
    expect(await closing).toMatchObject({ ok: false, error: 'bad_request.invalid_packet' });
  });

  it('[WIRE1] reports a call without an ack callback by an event, and does not execute it', async () => {
    const socket = await connected();
    const told = new Promise((resolve) => socket.once('request_error', resolve));
    socket.emit('node:add', { title: 'nobody asked' });
    expect(await told).toMatchObject({ ok: false, error: 'bad_request.missing_ack', event: 'node:add' });
  });

  it('[NODE2] closes a socket whose frame is too long', async () => {
    const socket = await connected();
    const closed = new Promise((resolve) => socket.once('disconnect', resolve));
    socket.emit('node:add', { description: TOO_LONG }, () => undefined);
    expect(await closed).toBe('transport close');
  });
});

/** Upgrades by hand: Socket.IO's own client can't set subprotocols everywhere. */
function upgradeWithSubprotocol(base: string, secret: string) {
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; greeted: boolean }>((resolve, reject) => {
    const upgrade = request(`${base}/ext-socket.io/?EIO=4&transport=websocket`, {
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
        'Sec-WebSocket-Protocol': `Bearer, ${secret}`,
      },
    });
    upgrade.on('error', reject);
    upgrade.on('response', () => reject(new Error('the upgrade was refused')));
    upgrade.on('upgrade', (response, socket) => {
      let received = '';
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
        if (!received.includes('"connected"') && !received.includes('unauthorized')) return;
        socket.destroy();
        resolve({ headers: response.headers, greeted: received.includes('"connected"') });
      });
      // A masked text frame with `40`: Engine.IO's message, Socket.IO's connect.
      socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x34, 0x30]));
    });
    upgrade.end();
  });
}
