// Packets whose content is JSON already: Socket.IO's own encoder would look for binary parts in all of it, and make its JSON anew for each.
import { Encoder, type Packet } from 'socket.io-parser';

/** JSON of one value, that goes into a packet as it is. */
export class RawJson {
  constructor(readonly text: string) {}
}

/** Socket.IO's encoder, for packets whose last argument is raw too. Its own namespace is the only one here. */
export class RawEncoder extends Encoder {
  override encode(packet: Packet): unknown[] {
    const content: unknown = packet.data;
    const last: unknown = Array.isArray(content) ? content.at(-1) : undefined;
    if (!Array.isArray(content) || !(last instanceof RawJson)) return super.encode(packet);
    const before = content.slice(0, -1).map((argument) => `${JSON.stringify(argument)},`);
    return [`${packet.type}${packet.id ?? ''}[${before.join('')}${last.text}]`];
  }
}
