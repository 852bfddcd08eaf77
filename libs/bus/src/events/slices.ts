// Hands the slices of committed groups from workers to gateways.

import type { Msg } from '@nats-io/transport-node';
import { type SliceMessage, slicesMessage } from '@taskgraph/wire/messages';
import type { Bus } from '../nats/connect.ts';
import { PART_BYTES } from '../nats/parts.ts';
import { publishLossy } from '../nats/publishing.ts';
import { SLICES_QUEUE, SLICES_SUBJECT } from '../nats/subjects.ts';
import { inReceivingSpan, withSendingSpan } from '../nats/tracing.ts';
import type { Serving } from '../requests/serve.ts';
import { type RawSlice, rawSliceOf, readRawSlice } from './raw-slice.ts';

/** Messages that a gateway hands on at once; past it they are dropped, which makes holes, and those heal. */
const MAXIMUM_IN_FLIGHT = 1_000;
/** The text of a message beside its slices. It says first where to cut, so that a reader need not look for the ends of slices. */
const CUTS = '{"cuts":[';
const SLICES = '],"slices":[';
const TAIL = ']}';
/** A cut and two commas: of the list of cuts, and of that of slices. */
const CUT_BYTES = String(PART_BYTES).length + 2;

/**
 * Publishes the slices of one group commit, in as few messages as fit.
 *
 * A slice over 480 KB is not sent in parts: gateways share the subject as a queue group, so its parts would reach different ones. A short
 * marker with the same feed, epoch and seq goes instead, whose diff is `{ truncated: true }`; a client that gets it asks for the state, as after
 * a hole. Nothing is sent during an outage, for the same reason: a hole heals. It never throws, and gives the number of messages lost.
 */
export function publishSlices(bus: Bus, slices: SliceMessage[]): number {
  return slices.length === 0 ? 0 : publishPackedSlices(bus, () => packSlices(slices));
}

/** The same for what was packed elsewhere. */
export function publishPackedSlices(bus: Bus, pack: () => readonly Uint8Array[]): number {
  if (!bus.connected()) {
    bus.log.debug({}, 'slices are dropped during an outage');
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

/** The slice, or the longest marker of it that fits: with what else its readers get, or else bare, since the marker has them ask for all. */
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

/** Null where it would be longer than a string can be. */
function tryEncode(slice: SliceMessage): Buffer | null {
  try {
    return Buffer.from(rawSliceOf(slice).json);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Reads a message, and its slices no further than need be. Throws where it is none. */
export function unpackSlices(message: Uint8Array): RawSlice[] {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.length);
  return cut(bytes) ?? slicesMessage.parse(JSON.parse(bytes.toString())).slices.map(rawSliceOf);
}

/** The slices of a message that says where to cut it; null where it does not, as that of the release before. */
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

/** Takes slices, each message by one gateway of all. A handler that fails is logged; its slices are a hole that heals. */
export function serveSlices(bus: Bus, handler: (slices: RawSlice[]) => void | Promise<void>): Serving {
  const inFlight = new Set<Promise<void>>();
  const subscription = bus.connection.subscribe(SLICES_SUBJECT, {
    queue: SLICES_QUEUE,
    callback(error, message) {
      if (error) return bus.log.error({ error }, 'the subscription to slices failed');
      if (inFlight.size >= MAXIMUM_IN_FLIGHT) return bus.log.warn({}, 'slices are dropped: too many are under way');
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
    bus.log.error({ error }, 'slices could not be handed on');
  }
}
