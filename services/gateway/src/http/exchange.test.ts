import { expect, test } from 'vitest';
import { answerOf, type CallAnswer } from './answer.ts';
import { openExchange } from './exchange.ts';
import type { Response } from './uws.ts';

const JSON_OF_PAGE = Buffer.from('{"nodes":[{"title":"ü"}],"hasMore":false}');
const WHOLE = '{"ok":true,"trace_id":"t","nodes":[{"title":"ü"}],"hasMore":false}';

/** The lines and the body that a client gets. */
function sent(answer: CallAnswer, method = 'GET', isLast = false, isProxied = false) {
  const lines: string[] = [];
  let body: string | number | null = null as string | number | null;
  const response = {
    onAborted: () => undefined,
    cork: (write: () => void) => write(),
    writeStatus: (status: string) => void lines.push(status),
    writeHeader: (name: string, value: string) => void lines.push(`${name}: ${value}`),
    endWithoutBody: (length: number) => {
      body = length;
    },
    end: (bytes: string | Uint8Array) => {
      body = Buffer.from(bytes as Uint8Array).toString();
    },
    tryEnd: (bytes: Uint8Array, length: number) => {
      body = `${body ?? ''}${Buffer.from(bytes).toString()}`;
      return [true, Buffer.byteLength(body) === length];
    },
  };
  const request = { keepAnswer: () => undefined, end: () => undefined };
  openExchange(response as unknown as Response, { request, method, isLast: () => isLast, isProxied }).send(answer, {});
  return { lines, body };
}

test.each([false, true])(
  'a JSON body is passed on unchanged, after the fields of every answer (last: %s)',
  (isLast) => {
    const { lines, body } = sent(answerOf({ ok: true, json: JSON_OF_PAGE, etag: 'abc' }, 't'), 'GET', isLast);
    expect(body).toBe(WHOLE);
    const head = ['200 OK', 'Content-Type: application/json; charset=utf-8', 'ETag: W/"abc"'];
    expect(lines).toEqual(isLast ? head : [...head, 'Keep-Alive: timeout=7']);
  },
);

test('a body without fields adds none', () => {
  expect(sent(answerOf({ ok: true, json: Buffer.from('{}') }, 't')).body).toBe('{"ok":true,"trace_id":"t"}');
});

test('HEAD returns the length of the whole body', () => {
  expect(sent(answerOf({ ok: true, json: JSON_OF_PAGE }, 't'), 'HEAD').body).toBe(Buffer.byteLength(WHOLE));
});

test('[EVT3] a body that the client already has is not sent again', () => {
  const known = answerOf({ ok: true, json: Buffer.from('{}'), etag: 'abc', unchanged: true }, 't');
  const { lines, body } = sent(known);
  expect([lines[0], lines.at(-2), body]).toEqual(['304 Not Modified', 'ETag: W/"abc"', '']);
});

test('a slow reader receives the whole body, without copies of the rest', () => {
  const taken: string[] = [];
  let goOn: (offset: number) => boolean = () => false;
  let isOver = false;
  const response = {
    onAborted: () => undefined,
    cork: (write: () => void) => write(),
    writeStatus: () => undefined,
    writeHeader: () => undefined,
    onWritable: (more: typeof goOn) => {
      goOn = more;
    },
    tryEnd: (bytes: Uint8Array, length: number) => {
      taken.push(Buffer.from(bytes.subarray(0, 5)).toString('latin1'));
      const count = taken.reduce((sum, text) => sum + text.length, 0);
      return [bytes.length <= 5, count === length];
    },
  };
  const request = {
    keepAnswer: () => undefined,
    end: () => {
      isOver = true;
    },
  };
  const exchange = openExchange(response as unknown as Response, {
    request,
    method: 'GET',
    isLast: () => false,
    isProxied: false,
  });
  exchange.send(answerOf({ ok: true, json: JSON_OF_PAGE }, 't'), {});
  for (let turns = 0; !isOver && turns < 100; turns++) goOn(taken.join('').length);
  expect(Buffer.from(taken.join(''), 'latin1').toString()).toBe(WHOLE);
});
