// Hands the slices of committed groups from workers to gateways.

import type { Msg } from '@nats-io/transport-node';
import { type SliceMessage, slicesMessage } from '@taskgraph/wire/messages';
import type { Bus } from '../nats/connect.ts';
import { PART_BYTES, tryStringify } from '../nats/parts.ts';
import { publishLossy } from '../nats/publishing.ts';
import { SLICES_QUEUE, SLICES_SUBJECT } from '../nats/subjects.ts';
import { inReceivingSpan, withSendingSpan } from '../nats/tracing.ts';
import type { Serving } from '../requests/serve.ts';

/** Messages that a gateway hands on at once; past it they are dropped, which makes holes, and those heal. */
const MAXIMUM_IN_FLIGHT = 1_000;
const HEAD = '{"slices":[';
const TAIL = ']}';

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
  let texts: string[] = [];
  let bytes = 0;
  const close = () => {
    if (texts.length > 0) messages.push(Buffer.from(HEAD + texts.join(',') + TAIL));
    texts = [];
    bytes = HEAD.length + TAIL.length;
  };
  close();
  for (const slice of slices) {
    const text = textOf(slice);
    const length = Buffer.byteLength(text) + 1;
    if (bytes + length > PART_BYTES) close();
    texts.push(text);
    bytes += length;
  }
  close();
  return messages;
}

/** The slice, or the longest marker of it that fits: with what else its readers get, or else bare, since the marker has them ask for all. */
function textOf(slice: SliceMessage): string {
  const { feed, epoch, seq, public: isPublic } = slice;
  const diff = { truncated: true };
  const bare = { feed, epoch, seq, diff, ...(isPublic ? { public: isPublic } : {}) };
  for (const each of [slice, { ...slice, diff }]) {
    const text = tryStringify(each);
    if (text !== null && Buffer.byteLength(text) + HEAD.length + TAIL.length + 1 <= PART_BYTES) return text;
  }
  return JSON.stringify(bare);
}

/** Takes slices, each message by one gateway of all. A handler that fails is logged; its slices are a hole that heals. */
export function serveSlices(bus: Bus, handler: (slices: SliceMessage[]) => void | Promise<void>): Serving {
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

async function handle(bus: Bus, message: Msg, handler: (slices: SliceMessage[]) => void | Promise<void>) {
  try {
    await handler(slicesMessage.parse(message.json()).slices);
  } catch (error) {
    bus.log.error({ error }, 'slices could not be handed on');
  }
}
