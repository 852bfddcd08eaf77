// Packets with ready JSON: Socket.IO's encoder would search the content for binary parts and
// serialize it for each socket.
import { Encoder, type Packet } from 'socket.io-parser';

/** The JSON of one value, which a packet contains unchanged. */
export class RawJson {
  constructor(readonly text: string) {}
}

/**
 * Socket.IO's encoder, extended for packets whose last argument is raw. The default namespace is
 * the only one.
 */
export class RawEncoder extends Encoder {
  override encode(packet: Packet): unknown[] {
    const content: unknown = packet.data;
    const last: unknown = Array.isArray(content) ? content.at(-1) : undefined;
    if (!Array.isArray(content) || !(last instanceof RawJson)) return super.encode(packet);
    const before = content.slice(0, -1).map((argument) => `${JSON.stringify(argument)},`);
    return [`${packet.type}${packet.id ?? ''}[${before.join('')}${last.text}]`];
  }
}
