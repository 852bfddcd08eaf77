// Classifies a client's frame by its first bytes, the types of Engine.IO and Socket.IO, before they
// decode it. Rule: LIM4.

/**
 * `pong` and `close` are Engine.IO's. `connect` opens the default namespace, `elsewhere` another
 * one, `leave` closes it, `call` is an event. `binary` is a binary message or a packet with
 * attachments: no call takes binary data, and decoding costs placeholders times attachment size.
 * Other types are `broken`: only servers open, ping and upgrade, and the gateway requests no acks.
 */
export type Frame = 'pong' | 'close' | 'connect' | 'elsewhere' | 'leave' | 'call' | 'binary' | 'broken';

const [ZERO, ONE, TWO, THREE, FOUR, FIVE, SIX, SLASH, COMMA] = [...'0123456/,'].map((letter) => letter.charCodeAt(0));

export function frameOf(message: ArrayBuffer, isBinary: boolean): Frame {
  if (isBinary) return 'binary';
  const bytes = new Uint8Array(message, 0, Math.min(message.byteLength, 4));
  const [engineType, type] = bytes;
  if (engineType === ONE) return 'close';
  if (engineType === THREE) return 'pong';
  if (engineType !== FOUR) return 'broken';
  if (type === ZERO)
    return bytes[2] === SLASH && bytes[3] !== COMMA && message.byteLength > 3 ? 'elsewhere' : 'connect';
  if (type === ONE) return 'leave';
  if (type === FIVE || type === SIX) return 'binary';
  return type === TWO ? 'call' : 'broken';
}
