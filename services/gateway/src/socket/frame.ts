// The kind of a client's frame, told by its first bytes: Engine.IO's type and Socket.IO's, before either of them sees it. Rule: LIM4.

/**
 * `pong` and `close` are Engine.IO's. `connect` asks for the namespace that there is, `elsewhere` for another, `leave` ends it, `call` is
 * an event. `attachment` is binary. Nothing else has a meaning here: servers alone open, ping and upgrade, and no ack is ever asked for.
 */
export type Frame = 'pong' | 'close' | 'connect' | 'elsewhere' | 'leave' | 'call' | 'attachment' | 'broken';

const [ZERO, ONE, TWO, THREE, FOUR, FIVE, SLASH, COMMA] = [...'012345/,'].map((letter) => letter.charCodeAt(0));

export function frameOf(message: ArrayBuffer, isBinary: boolean): Frame {
  if (isBinary) return 'attachment';
  const bytes = new Uint8Array(message, 0, Math.min(message.byteLength, 4));
  const [engineType, type] = bytes;
  if (engineType === ONE) return 'close';
  if (engineType === THREE) return 'pong';
  if (engineType !== FOUR) return 'broken';
  if (type === ZERO)
    return bytes[2] === SLASH && bytes[3] !== COMMA && message.byteLength > 3 ? 'elsewhere' : 'connect';
  if (type === ONE) return 'leave';
  return type === TWO || type === FIVE ? 'call' : 'broken';
}
