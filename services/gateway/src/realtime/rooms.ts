// Which sockets of this gateway hear which feeds. Rules: ACL5 to ACL7, EVT1, EVT4, PUB3, PUB5; see
// docs/design/access-and-feeds.md.
//
// Here stand the readers: who they are, how they were authorized, and when their access ends. The feed's line decides what of it they may hear.
import { type ControlMessage, type FeedRaise, subjectOfFeed } from '@taskgraph/wire/messages';
import { LRUCache } from 'lru-cache';
import { createAlarm } from './clock-timer.ts';
import { createLines, type Listening } from './feed-lines.ts';
import type { LineCounts, LineGround } from './line-ground.ts';
import type { RoomAuthorizer } from './room-authorizer.ts';
import type { Audience, Readable, RoomSocket, Subscriber } from './subscriber.ts';
import { createToldRaises } from './told-raises.ts';

/** Readers whose feeds were read anew are remembered for longer than any answer is under way: one from before must not count as the newest. */
const REMEMBERED = { max: 10_000, ttl: 60_000 };

interface Options extends Pick<LineGround, 'deliver' | 'deliverTo'> {
  readonly authorizer: Pick<RoomAuthorizer, 'add' | 'addLater'>;
  readonly listening: Listening;
  readonly counts: LineCounts;
}

export type Rooms = ReturnType<typeof createRooms>;

export function createRooms({ authorizer, deliver, deliverTo, listening, counts }: Options) {
  /** By the user's id, or that of the published node. */
  const byReader = new Map<string, Set<Subscriber>>();
  const subscribers = new Set<Subscriber>();
  const reread = new LRUCache<string, true>(REMEMBERED);
  const toldRaises = createToldRaises();
  const lines = createLines({
    ...{ toldRaises, listening, counts, deliver, deliverTo, endAt },
    subscribersOf: (userId) => byReader.get(userId) ?? [],
    dismissed(subscriber, feed) {
      forget(subscriber, feed);
      authorizer.add(subscriber);
    },
    // A slice that came while nobody knew whether the reader still had access is a hole, and shows by this.
    resumed: (subscriber, feed, seq) => void subscriber.socket.emit('feeds:heads', { feeds: { [feed]: seq } }),
  });
  let joined = new Map<string, Set<Subscriber>>();

  function forget(subscriber: Subscriber, feed: string): void {
    subscriber.feeds.delete(feed);
    joined.get(feed)?.delete(subscriber);
  }

  function leave(subscriber: Subscriber, feed: string): void {
    forget(subscriber, feed);
    lines.leave(subscriber, feed);
  }

  /** Joins what a subscriber may read and leaves all else. Gives the heads of what it joined. */
  function place(subscriber: Subscriber, readable: readonly Readable[]): Record<string, number> {
    const wanted = new Set(readable.map(({ feed }) => feed));
    for (const feed of [...subscriber.feeds.keys()]) if (!wanted.has(feed)) leave(subscriber, feed);
    const heads: Record<string, number> = {};
    let isDoubtful = false;
    for (const each of readable) {
      const outcome = placeIn(subscriber, each);
      if (outcome === 'joined') heads[each.feed] = each.seq;
      if (outcome === 'doubtful') isDoubtful = true;
    }
    if (isDoubtful) authorizer.addLater(subscriber);
    setAlarm(subscriber);
    return heads;
  }

  function placeIn(subscriber: Subscriber, each: Readable): 'joined' | 'there' | 'doubtful' {
    const feed = lines.nameOf(each.feed);
    const end = each.due === null ? null : Date.parse(each.due);
    if (end !== null && end <= Date.now()) {
      // The worker's clock is behind this one, whose moment has come.
      leave(subscriber, feed);
      return 'doubtful';
    }
    const isThere = lines.has(subscriber, feed);
    const known = subscriber.feeds.get(feed);
    // Before it is compared with the raises that were told since, one of which may have brought the end forward.
    subscriber.feeds.set(feed, end);
    if (!(isThere ? lines.authorize(subscriber, each) : lines.join(subscriber, each))) {
      if (known === undefined) subscriber.feeds.delete(feed);
      else subscriber.feeds.set(feed, known);
      return 'doubtful';
    }
    subscriber.lastFeed = feed;
    if (isThere) return 'there';
    joined.set(feed, (joined.get(feed) ?? new Set()).add(subscriber));
    return 'joined';
  }

  /** Access ends at this moment, or before. */
  function endAt(subscriber: Subscriber, feed: string, due: string): void {
    const end = Date.parse(due);
    subscriber.feeds.set(feed, Math.min(end, subscriber.feeds.get(feed) ?? end));
    setAlarm(subscriber);
  }

  function setAlarm(subscriber: Subscriber): void {
    let nearest: number | null = null;
    for (const end of subscriber.feeds.values()) {
      if (end !== null && (nearest === null || end < nearest)) nearest = end;
    }
    // Most have no end at all.
    if (nearest !== null) subscriber.alarm ??= createAlarm(() => ring(subscriber));
    subscriber.alarm?.set(nearest);
  }

  function ring(subscriber: Subscriber): void {
    const now = Date.now();
    for (const [feed, end] of [...subscriber.feeds]) if (end !== null && end <= now) leave(subscriber, feed);
    setAlarm(subscriber);
    authorizer.add(subscriber);
  }

  function remove(subscriber: Subscriber): void {
    if (subscriber.gone) return;
    subscriber.gone = true;
    for (const feed of [...subscriber.feeds.keys()]) leave(subscriber, feed);
    subscriber.alarm?.set(null);
    subscribers.delete(subscriber);
    const others = byReader.get(subscriber.reader);
    others?.delete(subscriber);
    if (others?.size === 0) byReader.delete(subscriber.reader);
  }

  function enter(socket: RoomSocket, audience: Audience, readable: readonly Readable[]): Subscriber {
    const feeds = new Map<string, number | null>();
    const subscriber: Subscriber = {
      socket,
      audience,
      reader: readerOf(audience, readable),
      feeds,
      alarm: null,
      lastFeed: readable[0]?.feed ?? '',
      gone: false,
    };
    const { reader } = subscriber;
    subscribers.add(subscriber);
    byReader.set(reader, (byReader.get(reader) ?? new Set()).add(subscriber));
    for (const feed of Object.keys(place(subscriber, readable))) lines.advance(feed);
    // Its feeds may have been read just before.
    if (reread.has(reader)) authorizer.add(subscriber);
    return subscriber;
  }

  function settle(subscriber: Subscriber, readable: readonly Readable[]): void {
    if (subscriber.gone) return;
    if (subscriber.audience.kind === 'public' && readable.length === 0) {
      remove(subscriber);
      subscriber.socket.emit('unpublished', { feed: subscriber.lastFeed });
      subscriber.socket.disconnect(true);
      return;
    }
    const fresh = readable.filter(({ feed }) => !subscriber.feeds.has(feed)).map(({ feed }) => feed);
    const ready = lines.listen(fresh);
    // Slices from before the gateway listens would be missed: so the reader is authorized again then.
    void ready?.then(() => authorizer.add(subscriber));
    const heads = place(subscriber, ready === null ? readable : readable.filter(({ feed }) => !fresh.includes(feed)));
    // Its slices follow from there on.
    if (Object.keys(heads).length > 0) subscriber.socket.emit('feeds:heads', { feeds: heads });
    for (const feed of Object.keys(heads)) lines.advance(feed);
  }

  return {
    /** Lets a socket in that was authorized when it connected, and was told the heads of its feeds. */
    enter,

    /** Takes an authorization in. An anonymous socket that may read nothing any more is told and closed (PUB5). */
    settle,

    /** Takes a socket out of all rooms for good. */
    remove,

    /** Listens to feeds before their reader is authorized by it. Null where that was so already; else resolves when it is. */
    listen: lines.listen,

    /** Hands a slice on to those who may hear it; `bytes` is its length on the wire. */
    take: lines.take,

    /** Takes in that a feed's epoch was raised, also where nobody hears it: somebody may be on the way there. */
    raise(raise: FeedRaise): void {
      toldRaises.add(raise);
      lines.raise(raise);
    },

    /** Compares with an epoch that was read: where no raise explains it, a control message was lost. */
    catchUp: lines.suspect,

    /** Has the feeds of these users, and of all who read these published nodes, read anew for all their sockets here, those on their way included. */
    reread(ids: Iterable<string>): void {
      for (const id of ids) {
        reread.set(id, true);
        for (const subscriber of byReader.get(id) ?? []) authorizer.add(subscriber);
      }
    },

    /** Has everybody authorized anew: messages may have been lost. */
    rereadAll(): void {
      for (const subscriber of subscribers) authorizer.add(subscriber);
    },

    /** The names of each feed's rooms here. */
    served: lines.served,

    /** Where a feed stands here. */
    progress: lines.progress,

    /** How many rooms there are here. */
    count: () => [...lines.served().values()].flat().length,

    /** How many slices wait here. */
    held: lines.held,

    /** By feed, the sockets that joined a room of it since the last call. */
    takeJoined(): ReadonlyMap<string, ReadonlySet<Subscriber>> {
      const taken = joined;
      joined = new Map();
      return taken;
    },

    stop: lines.stop,
  };
}

/** Follows a control message. */
export function followControl(
  rooms: Pick<Rooms, 'raise' | 'reread'>,
  { feeds, readers, publications = [] }: ControlMessage,
): void {
  for (const raise of feeds) rooms.raise(raise);
  rooms.reread(readers);
  rooms.reread(publications);
}

/** A token opens one node for as long as it opens anything, but its feed changes with whether the branch is published. */
function readerOf(audience: Audience, readable: readonly Readable[]): string {
  return audience.kind === 'user' ? audience.user.id : subjectOfFeed(readable[0]?.feed ?? '');
}
