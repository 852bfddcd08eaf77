import { type ReplyMessage, replyMessage } from '@taskgraph/wire/bus/calls';
import { Op } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { compressJson, decompressJson } from './compressed-json.ts';
import {
  compressedReplyOf,
  encodeRawReply,
  type JsonReply,
  markKeptAccess,
  parseCompressedReply,
  parseRawReply,
  withParsedBody,
} from './raw-reply.ts';

const bytes = (text: string) => Buffer.from(text);
const page = bytes('{"nodes":[{"title":"a }} \\" ü"}],"links":[]}');

test.each([
  ['alone', { json: page }],
  ['with an etag', { json: page, etag: 'a-b_c' }],
  ['that the asker has', { json: bytes('{}'), etag: 'a', unchanged: true as const }],
])('a body %s passes unchanged, and releases that parse it get the same content', (_, fields) => {
  const encoded = encodeRawReply({ ok: true, ...fields });
  expect(parseRawReply(encoded)).toEqual({ ok: true, ...fields, json: Buffer.from(fields.json) });
  expect(JSON.parse(Buffer.from(encoded).toString())).toMatchObject({ body: JSON.parse(fields.json.toString()) });
});

test('a reply built from an object can be opened too, and is parsed on demand', () => {
  const reply: ReplyMessage = { ok: true, body: { diff: { nodes: [] } } };
  const opened = parseRawReply(bytes(JSON.stringify(reply)));
  expect(opened).toMatchObject({ ok: true });
  expect(opened && withParsedBody(opened)).toEqual(reply);
  expect(parseRawReply(bytes('{"ok":true,"body":{}}'))).toEqual({ ok: true, json: bytes('{}') });
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
])('a reply of another form is parsed completely: %s', (text) => {
  expect(parseRawReply(bytes(text))).toBeNull();
});

test('[ZIP2] a compressed reply passes as it is, and has the body and the etag of the plain one', async () => {
  const reply = compressedReplyOf(await compressJson([page]), 'a-b_c');
  const encoded = encodeRawReply(reply);
  expect(parseRawReply(encoded)).toBeNull();
  const received = parseCompressedReply(encoded) ?? expect.fail('it is not compressed');
  expect(received).toMatchObject({ etag: 'a-b_c', compressed: { length: page.length + 9 } });
  expect(Buffer.from(received.compressed.deflated)).toEqual(Buffer.from(reply.compressed.deflated));
  expect(Buffer.concat(await decompressJson(received.compressed))).toEqual(page);
  // Only a requester that forwards it asks for it.
  expect(() => withParsedBody(received)).toThrow('cannot be parsed');
  // It retains only the counted memory.
  expect(encoded.buffer.byteLength).toBe(encoded.length);
});

test.each([
  '{"ok":true,"etag":"a","length":67108865,"crc":1}\nx',
  '{"ok":true,"etag":"a","length":1,"crc":4294967296}\nx',
  '{"ok":true,"etag":"a b","length":1,"crc":1}\nx',
  '{"ok":true,"etag":"a","length":-1,"crc":1}\nx',
  '{"ok":true,"etag":"a","length":1,"crc":1}x',
  '{"ok":true,"body":{}}',
])('[ZIP2] a reply of another form, of too long a text, or with too large a sum is no compressed one: %j', (text) => {
  expect(parseCompressedReply(bytes(text))).toBeNull();
});

const entry = (op: number) => ({ op, before: {}, after: { id: 'a', title: '"op":6' } });
const done = (diff: object): ReplyMessage => ({ ok: true, body: { diff, feeds: {} } });
const opened = (reply: ReplyMessage) => parseRawReply(bytes(JSON.stringify(markKeptAccess(reply))));

test('[AUTH4] the reply to a command indicates that it changed no grant and no publication, and has the same body', () => {
  const plain = done({ nodes: [entry(Op.NODE_UPDATE)], links: [], access: [] });
  const raw = opened(plain);
  expect(raw).toMatchObject({ ok: true, keepsAccess: true });
  expect(raw && withParsedBody(raw)).toEqual(plain);
  expect(replyMessage.parse(markKeptAccess(plain))).toMatchObject(plain);
  const replayed: ReplyMessage = { ok: true, body: { diff: {} }, work: 30, replayed: true };
  expect(opened(replayed)).toMatchObject({ keepsAccess: true, work: 30, replayed: true });
  expect(withParsedBody(opened(replayed) as JsonReply)).toEqual(replayed);
  for (const diff of [
    { nodes: [entry(Op.NODE_UPDATE), entry(Op.NODE_PUBLISH)], access: [] },
    { nodes: [], access: [entry(Op.GRANT_DELETE)] },
  ]) {
    expect(opened(done(diff))).not.toHaveProperty('keepsAccess');
  }
  expect(opened({ ok: true, body: {} })).not.toHaveProperty('keepsAccess');
});
