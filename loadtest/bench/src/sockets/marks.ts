// Marks that identify an update in any answer or push: the time of its request, on the monotonic
// clock that all processes of a machine share.

const FENCE = '@@';

/** Microseconds of the machine's monotonic clock. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

export function markOf(us: number): string {
  return `${FENCE}${us}${FENCE}`;
}

/**
 * The latest mark in a packet, because a diff also contains the previous value; null without a
 * mark.
 */
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
