import { refuse } from '@taskgraph/wire/errors';
import { describe, expect, it } from 'vitest';
import { type BodySource, parseBody, readBody } from './body.ts';

/** Gives chunks as uWebSockets does: each is emptied after the call. */
function sourceOf(chunks: Uint8Array[]): BodySource {
  return {
    onData(handler) {
      for (const [index, chunk] of chunks.entries()) {
        const content = new Uint8Array(chunk).buffer;
        handler(content, index === chunks.length - 1);
        new Uint8Array(content).fill(0);
      }
    },
  };
}
const keepAll = () => null;
const bytes = (text: string) => new TextEncoder().encode(text);

describe('readBody', () => {
  it('joins chunks, and copies them before they are reused', async () => {
    const body = await readBody(sourceOf([bytes('{"a'), bytes('":1}'), bytes('')]), '', keepAll);
    expect(Buffer.from(body as Uint8Array).toString()).toBe('{"a":1}');
  });

  it('returns an empty body as empty', async () => {
    expect(await readBody(sourceOf([bytes('')]), '0', keepAll)).toHaveLength(0);
  });

  it('[NODE2] accepts 256 KiB and refuses one byte more, with or without a Content-Length', async () => {
    const limit = new Uint8Array(256 * 1024);
    expect(await readBody(sourceOf([limit, bytes('')]), '', keepAll)).toHaveLength(limit.length);
    expect(await readBody(sourceOf([limit, bytes('x')]), '', keepAll)).toMatchObject({ code: 'bad_request.too_large' });
    expect(await readBody(sourceOf([]), String(limit.length + 1), keepAll)).toMatchObject({
      code: 'bad_request.too_large',
    });
  });
});

it('[LIM4] refuses a body beyond the memory bound, and stores nothing of it', async () => {
  const full = refuse('unavailable', 'Full.');
  let kept = 0;
  const keep = (count: number) => {
    if (kept > 2) return full;
    kept += count;
    return null;
  };
  expect(await readBody(sourceOf([bytes('ab'), bytes('cd'), bytes('ef'), bytes('')]), '', keep)).toBe(full);
  expect(kept).toBe(4);
});

describe('parseBody', () => {
  it('[WIRE1] accepts JSON with and without a content type', () => {
    for (const type of ['', 'application/json', 'Application/JSON; charset=utf-8', 'application/merge-patch+json']) {
      expect(parseBody(bytes('{"a":[1]}'), type)).toEqual({ value: { a: [1] } });
    }
  });

  it('[GEN4] refuses broken JSON, broken UTF-8 and other content types', () => {
    for (const text of ['{', '', 'undefined', "{'a':1}"]) {
      expect(parseBody(bytes(text), '')).toMatchObject({ code: 'bad_request.invalid_json' });
    }
    const broken = new Uint8Array([0x22, 0xff, 0x22]);
    expect(parseBody(broken, '')).toMatchObject({ code: 'bad_request.invalid_json' });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      expect(parseBody(bytes('{}'), type)).toMatchObject({ code: 'bad_request.invalid_content_type' });
    }
  });
});
