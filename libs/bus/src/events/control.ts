// Notifies every gateway of epoch changes and ended tokens. Rules: ACL7, PUB5, AUTH2.
import { type ControlMessage, controlMessage } from '@taskgraph/wire/bus/feed-messages';
import type { Bus } from '../nats/connect.ts';
import { publishLossy } from '../nats/lossy-publish.ts';
import { PART_BYTES } from '../nats/parts.ts';
import { CONTROL_SUBJECT } from '../nats/subjects.ts';
import type { RunningSubscription } from '../requests/serve.ts';

/**
 * Publishes to every gateway. During an outage it sends nothing: a gateway that missed a message
 * finds the change by the epochs of its feeds. Never throws; returns the number of lost messages.
 */
export function publishControl(bus: Bus, message: ControlMessage): number {
  if (bus.connected()) return publishLossy(bus, CONTROL_SUBJECT, () => packControl(message));
  bus.log.debug(
    { readers: message.readers.length, feeds: message.feeds.length },
    'a control message was dropped during an outage',
  );
  return 0;
}

/** Splits long lists into messages of at most 480 KB. Each message is complete in itself. */
export function packControl({
  readers,
  feeds,
  publications = [],
  tokens = [],
  users = [],
}: ControlMessage): Uint8Array[] {
  const messages: Uint8Array[] = [];
  let open = emptyControl();
  let bytes = EMPTY_BYTES;
  const close = () => {
    if (bytes > EMPTY_BYTES) messages.push(Buffer.from(JSON.stringify(withoutEmpty(open))));
    open = emptyControl();
    bytes = EMPTY_BYTES;
  };
  const makeRoom = (entry: unknown) => {
    // One byte more for the comma.
    const length = Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (bytes + length > PART_BYTES) close();
    bytes += length;
  };
  // Messages that end access go first: ended tokens, disabled users, raised epochs.
  for (const token of tokens) {
    makeRoom(token);
    open.tokens.push(token);
  }
  for (const user of users) {
    makeRoom(user);
    open.users.push(user);
  }
  for (const feed of feeds) {
    makeRoom(feed);
    open.feeds.push(feed);
  }
  for (const reader of readers) {
    makeRoom(reader);
    open.readers.push(reader);
  }
  for (const node of publications) {
    makeRoom(node);
    open.publications.push(node);
  }
  close();
  return messages;
}

type Lists = { [K in keyof ControlMessage]-?: NonNullable<ControlMessage[K]> };

function emptyControl(): Lists {
  return { readers: [], feeds: [], publications: [], tokens: [], users: [] };
}

const EMPTY_BYTES = JSON.stringify(emptyControl()).length;

/**
 * Omits empty lists: most messages come from groups, which end no tokens and change no publication.
 */
function withoutEmpty({ readers, feeds, publications, tokens, users }: Lists): ControlMessage {
  return {
    readers,
    feeds,
    ...(publications.length > 0 ? { publications } : {}),
    ...(tokens.length > 0 ? { tokens } : {}),
    ...(users.length > 0 ? { users } : {}),
  };
}

/**
 * Subscribes to control messages of all workers. Invalid messages and handler errors are logged;
 * the subscription continues.
 */
export function serveControl(bus: Bus, handler: (message: ControlMessage) => void): RunningSubscription {
  const subscription = bus.connection.subscribe(CONTROL_SUBJECT, {
    callback(error, message) {
      if (error) return bus.log.error({ error }, 'the subscription to control failed');
      try {
        handler(controlMessage.parse(message.json()));
      } catch (failure) {
        bus.log.error({ error: failure }, 'a control message could not be processed');
      }
    },
  });
  return {
    async stop() {
      if (!subscription.isClosed()) await subscription.drain().catch(() => undefined);
    },
  };
}
