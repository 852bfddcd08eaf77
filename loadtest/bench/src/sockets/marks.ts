// Marks by which an update is known wherever it comes out again: the moment at which it was asked for, by the clock that all processes of a
// machine share.

const FENCE = '@@';

/** Microseconds of the machine's monotonic clock. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

export function markOf(us: number): string {
  return `${FENCE}${us}${FENCE}`;
}

/** The moment that a packet bears; null where it bears none. */
export function readMark(packet: Buffer): number | null {
  const start = packet.indexOf(FENCE);
  if (start < 0) return null;
  let us = 0;
  for (let at = start + FENCE.length; at < packet.length; at++) {
    const digit = (packet[at] as number) - 0x30;
    if (digit < 0 || digit > 9) return us;
    us = us * 10 + digit;
  }
  return us;
}
