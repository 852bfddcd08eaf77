// Raw packets, as Socket.IO's own decoder reads them.
import { Decoder, Encoder, type Packet, PacketType } from 'socket.io-parser';
import { expect, it } from 'vitest';
import { RawEncoder, RawJson } from './raw-json.ts';

function decoded(encoded: readonly unknown[]): Packet[] {
  const packets: Packet[] = [];
  const decoder = new Decoder();
  decoder.on('decoded', (packet) => void packets.push(packet));
  for (const text of encoded) decoder.add(text);
  return packets;
}
const content = { text: 'é"]}', list: [1, null] };

it.each([
  ['an event', { type: PacketType.EVENT, nsp: '/', data: ['graph:diff', content] }],
  ['an answer', { type: PacketType.ACK, nsp: '/', id: 12, data: [content] }],
])('writes %s with raw content as Socket.IO would write it', (_what, packet) => {
  const raw = { ...packet, data: [...packet.data.slice(0, -1), new RawJson(JSON.stringify(content))] };
  const encoded = new RawEncoder().encode(raw);
  expect(encoded).toEqual(new Encoder().encode(packet));
  expect(decoded(encoded)).toEqual([packet]);
});

it('leaves all other packets to Socket.IO', () => {
  const packet = { type: PacketType.CONNECT, nsp: '/', data: { sid: 'x' } };
  expect(new RawEncoder().encode(packet)).toEqual(new Encoder().encode(packet));
});
