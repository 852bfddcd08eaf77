// Carries the slices of committed groups from workers to gateways.

import type { Msg } from '@nats-io/transport-node';
import { type SliceMessage, slicesMessage } from '@taskgraph/wire/bus/feed-messages';
import type { Bus } from '../nats/connect.ts';
import { publishLossy } from '../nats/lossy-publish.ts';
import { PART_BYTES } from '../nats/parts.ts';
import { SLICES_QUEUE, SLICES_SUBJECT } from '../nats/subjects.ts';
import { inReceivingSpan, withSendingSpan } from '../nats/tracing.ts';
import type { RunningSubscription } from '../requests/serve.ts';
import { type RawSlice, rawSliceOf, readRawSlice } from './raw-slice.ts';

/**
 * Messages that a gateway handles at once. It drops further ones; clients recover from the gaps.
 */
const MAXIMUM_IN_FLIGHT = 1_000;
/**
 * The JSON around the slices of a message. The lengths come first, so that a reader need not search
 * for the ends of slices.
 */
const CUTS = '{"cuts":[';
const SLICES = '],"slices":[';
const TAIL = ']}';
/** One length and two commas: one in the list of lengths and one in the list of slices. */
const CUT_BYTES = String(PART_BYTES).length + 2;

/**
 * Publishes the slices of one group commit in as few messages as possible.
 *
 * A slice over 480 KB is not split: gateways share the subject as a queue group, so its parts would
 * reach different gateways. A short marker with the same feed, epoch and seq replaces it, with the
 * diff `{ truncated: true }`; its receiver reads the state again, as after a gap.
 *
 * During an outage it sends nothing, because clients recover from gaps. Never throws; returns the
 * number of lost messages.
 */
export function publishSlices(bus: Bus, slices: SliceMessage[]): number {
  return slices.length === 0 ? 0 : publishPackedSlices(bus, () => packSlices(slices));
}

/** Like `publishSlices`, for slices packed by another thread. */
export function publishPackedSlices(bus: Bus, pack: () => readonly Uint8Array[]): number {
  if (!bus.connected()) {
    bus.log.debug({}, 'slices were dropped during an outage');
    return 0;
  }
  let lost = 0;
  withSendingSpan(SLICES_SUBJECT, (headers) => {
    lost = publishLossy(bus, SLICES_SUBJECT, pack, headers === undefined ? {} : { headers });
  });
  return lost;
}

/** Packs slices, in order, into messages of at most 480 KB. */
export function packSlices(slices: SliceMessage[]): Uint8Array[] {
  const messages: Uint8Array[] = [];
  let texts: Buffer[] = [];
  let bytes = 0;
  const close = () => {
    if (texts.length > 0) messages.push(join(texts));
    texts = [];
    bytes = FRAME_BYTES;
  };
  close();
  for (const slice of slices) {
    const text = textOf(slice);
    const length = text.length + CUT_BYTES;
    if (bytes + length > PART_BYTES) close();
    texts.push(text);
    bytes += length;
  }
  close();
  return messages;
}

const FRAME_BYTES = CUTS.length + SLICES.length + TAIL.length;
const COMMA = Buffer.from(',');

function join(texts: readonly Buffer[]): Uint8Array {
  const head = Buffer.from(CUTS + texts.map(({ length }) => length).join(',') + SLICES);
  return Buffer.concat([
    head,
    ...texts.flatMap((text, index) => (index === 0 ? [text] : [COMMA, text])),
    Buffer.from(TAIL),
  ]);
}

/**
 * The slice, or the longest marker that fits: with the slice's other fields, or else with the
 * address alone, since a marker makes its receiver read the state again.
 */
function textOf(slice: SliceMessage): Buffer {
  const { feed, epoch, seq, public: isPublic } = slice;
  const diff = { truncated: true };
  const bare = { feed, epoch, seq, diff, ...(isPublic ? { public: isPublic } : {}) };
  for (const each of [slice, { ...slice, diff }]) {
    const text = tryEncode(each);
    if (text !== null && text.length + FRAME_BYTES + CUT_BYTES <= PART_BYTES) return text;
  }
  return Buffer.from(rawSliceOf(bare).json);
}

/** Null if the JSON would exceed the maximum length of a string. */
function tryEncode(slice: SliceMessage): Buffer | null {
  try {
    return Buffer.from(rawSliceOf(slice).json);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Parses a message, with the diffs left as JSON where possible. Throws on invalid input. */
export function unpackSlices(message: Uint8Array): RawSlice[] {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.length);
  return cut(bytes) ?? slicesMessage.parse(JSON.parse(bytes.toString())).slices.map(rawSliceOf);
}

/**
 * The slices of a message with a list of lengths; null for other messages, such as those of the
 * previous release.
 */
function cut(bytes: Buffer): RawSlice[] | null {
  if (bytes.toString('latin1', 0, CUTS.length) !== CUTS) return null;
  const end = bytes.indexOf(SLICES);
  if (end < 0) return null;
  const lengths = bytes.toString('latin1', CUTS.length, end).split(',').map(Number);
  let at = end + SLICES.length;
  const whole = lengths.reduce((sum, length) => sum + length, at) + lengths.length - 1 + TAIL.length;
  if (whole !== bytes.length) return null;
  return lengths.map((length) => {
    const slice = readRawSlice(bytes.toString('utf8', at, at + length));
    at += length + 1;
    return slice;
  });
}

/**
 * Subscribes to slices; one gateway receives each message. Handler errors are logged, and clients
 * recover from the gap.
 */
export function serveSlices(bus: Bus, handler: (slices: RawSlice[]) => void | Promise<void>): RunningSubscription {
  const inFlight = new Set<Promise<void>>();
  const subscription = bus.connection.subscribe(SLICES_SUBJECT, {
    queue: SLICES_QUEUE,
    callback(error, message) {
      if (error) return bus.log.error({ error }, 'the subscription to slices failed');
      if (inFlight.size >= MAXIMUM_IN_FLIGHT) return bus.log.warn({}, 'slices were dropped: too many in flight');
      const work = inReceivingSpan('fan-out', message, () => handle(bus, message, handler)).finally(() =>
        inFlight.delete(work),
      );
      inFlight.add(work);
    },
  });
  return {
    async stop() {
      if (!subscription.isClosed()) await subscription.drain().catch(() => undefined);
      await Promise.all(inFlight);
    },
  };
}

async function handle(bus: Bus, message: Msg, handler: (slices: RawSlice[]) => void | Promise<void>) {
  try {
    await handler(unpackSlices(message.data));
  } catch (error) {
    bus.log.error({ error }, 'slices could not be passed on');
  }
}
