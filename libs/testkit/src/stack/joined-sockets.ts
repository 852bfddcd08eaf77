// Two connections of a proxy as one.
import type { Socket } from 'node:net';

/** Sends each one's bytes to the other, and ends both with either. `open` has them while they are open. */
export function joinSockets(inbound: Socket, outbound: Socket, open: Set<Socket>): void {
  for (const [one, other] of [
    [inbound, outbound],
    [outbound, inbound],
  ] as const) {
    open.add(one);
    one.pipe(other);
    // The other end sees its own connection close.
    one.on('error', () => undefined);
    one.on('close', () => {
      open.delete(one);
      other.destroy();
    });
  }
}
