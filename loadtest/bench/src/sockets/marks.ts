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

/** The latest moment that a packet bears, since a diff has the value before the change too; null where it bears none. */
export function readMark(packet: Buffer): number | null {
  let latest: number | null = null;
  for (let start = packet.indexOf(FENCE); start >= 0; ) {
    const [us, end] = readDigits(packet, start + FENCE.length);
    if (latest === null || us > latest) latest = us;
    start = packet.indexOf(FENCE, end + FENCE.length);
  }
  return latest;
}

function readDigits(packet: Buffer, start: number): [value: number, end: number] {
  let value = 0;
  let at = start;
  for (; at < packet.length; at++) {
    const digit = (packet[at] as number) - 0x30;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return [value, at];
}
