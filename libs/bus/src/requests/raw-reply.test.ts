import type { ReplyMessage } from '@taskgraph/wire/messages';
import { expect, test } from 'vitest';
import { encodeRawReply, openRawReply, readRawReply } from './raw-reply.ts';

const bytes = (text: string) => Buffer.from(text);
const page = bytes('{"nodes":[{"title":"a }} \\" ü"}],"links":[]}');

test.each([
  ['alone', { json: page }],
  ['with an etag', { json: page, etag: 'a-b_c' }],
  ['that the asker has', { json: bytes('{}'), etag: 'a', unchanged: true as const }],
])('a body %s goes through as it is, and is what a release that reads it all finds', (_, fields) => {
  const encoded = encodeRawReply({ ok: true, ...fields });
  expect(openRawReply(encoded)).toEqual({ ok: true, ...fields, json: Buffer.from(fields.json) });
  expect(JSON.parse(Buffer.from(encoded).toString())).toMatchObject({ body: JSON.parse(fields.json.toString()) });
});

test('a reply as it is made of an object opens too, and is read on demand', () => {
  const reply: ReplyMessage = { ok: true, body: { diff: { nodes: [] } } };
  const opened = openRawReply(bytes(JSON.stringify(reply)));
  expect(opened).toMatchObject({ ok: true });
  expect(opened && readRawReply(opened)).toEqual(reply);
  expect(openRawReply(bytes('{"ok":true,"body":{}}'))).toEqual({ ok: true, json: bytes('{}') });
});

test.each([
  '',
  '{"ok":true,"body":{',
  '{"ok":true,"body":}}',
  '{"ok":true,"body":[]}',
  '{"ok":true,"body":"}}',
  '{"ok":true,"body":null}',
  '{"ok":true,"etag":"a b","body":{}}',
  '{"ok":false,"error":"not_found","message":"No.","details":{}}',
  '{"body":{},"ok":true}',
  '{"ok":true,"body":{}} ',
])('what is not so is read as a whole: %s', (text) => {
  expect(openRawReply(bytes(text))).toBeNull();
});
