// WebSocket frames (RFC 6455) for clients without a library: whole messages without compression.
// The bench needs the low cost, because a library would cost more than the measured code.

/** Opcodes with the bit of a message's last frame. */
const TEXT = 0x81;
const BINARY = 0x82;
const CLOSE = 0x88;
const MASKED = 0x80;
const SHORT = 126;
const LONG = 127;

/** A text or bytes as a masked frame. The protocol permits a mask of zero, which costs nothing. */
export function frameOf(message: string | Uint8Array): Buffer {
  const isText = typeof message === 'string';
  const body = isText ? Buffer.from(message) : message;
  const extra = body.length < SHORT ? 0 : body.length < 65_536 ? 2 : 8;
  const frame = Buffer.alloc(2 + extra + 4 + body.length);
  frame[0] = isText ? TEXT : BINARY;
  frame[1] = MASKED | (extra === 0 ? body.length : extra === 2 ? SHORT : LONG);
  if (extra === 2) frame.writeUInt16BE(body.length, 2);
  if (extra === 8) frame.writeBigUInt64BE(BigInt(body.length), 2);
  frame.set(body, 2 + extra + 4);
  return frame;
}

/** Parses a stream of bytes and calls the listeners with the payload of each text or close frame. */
export function createFrameReader(
  onText: (payload: Buffer) => void,
  onClose?: (payload: Buffer) => void,
): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let at = 0;
    for (;;) {
      const header = headerAt(all, at);
      if (header === null || header.end > all.length) break;
      if (header.opcode === TEXT) onText(all.subarray(header.start, header.end));
      else if (header.opcode === CLOSE) onClose?.(all.subarray(header.start, header.end));
      at = header.end;
    }
    rest = at === all.length ? Buffer.alloc(0) : all.subarray(at);
  };
}

/**
 * The bounds of a frame's payload; null if its header is incomplete. A server's frames have no
 * mask.
 */
function headerAt(bytes: Buffer, at: number): { start: number; end: number; opcode: number } | null {
  if (bytes.length < at + 2) return null;
  const short = (bytes[at + 1] as number) & 0x7f;
  const opcode = bytes[at] as number;
  if (short < SHORT) return { start: at + 2, end: at + 2 + short, opcode };
  const size = short === SHORT ? 2 : 8;
  if (bytes.length < at + 2 + size) return null;
  const length = size === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
  return { start: at + 2 + size, end: at + 2 + size + length, opcode };
}
