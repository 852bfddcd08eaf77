// Which sockets of this gateway hear which feeds. Rules: ACL5 to ACL7, EVT1, EVT4, PUB3, PUB5; see
// docs/design/access-and-feeds.md.
//
// Here stand the readers: who they are, how they were judged, and when their access ends. What of a feed they may hear is decided in its line.
import type { ControlMessage, FeedRaise } from '@taskgraph/wire/messages';
import { LRUCache } from 'lru-cache';
import { createAlarm } from './alarm.ts';
import { createExplanations } from './epoch-explanations.ts';
import type { LineCounts, LineGround } from './feed-line.ts';
import { createLines, type Listening } from './feed-lines.ts';
import type { Audience, Member, Readable, RoomSocket } from './subscriber.ts';

/** Whose feeds were read anew is remembered for longer than any answer is under way: one from before must not count as the last word. */
const REMEMBERED = { max: 10_000, ttl: 60_000 };

interface Options extends Pick<LineGround, 'deliver' | 'deliverTo'> {
  /** Called for each member whose feeds have to be judged anew. */
  readonly doubt: (member: Member) => void;
  /** The same, where judging at once would bring the same answer. */
  readonly doubtLater: (member: Member) => void;
  readonly listening: Listening;
  readonly counts: LineCounts;
}

export type Rooms = ReturnType<typeof createRooms>;

export function createRooms({ doubt, doubtLater, deliver, deliverTo, listening, counts }: Options) {
  const byUser = new Map<string, Set<Member>>();
  const members = new Set<Member>();
  const reread = new LRUCache<string, true>(REMEMBERED);
  const explanations = createExplanations();
  const lines = createLines({
    ...{ explanations, listening, counts, deliver, deliverTo, endAt },
    membersOf: (userId) => byUser.get(userId) ?? [],
    dismissed(member, feed) {
      forget(member, feed);
      doubt(member);
    },
    // What came while nobody knew whether the reader still had access is a hole, and shows by this.
    resumed: (member, feed, seq) => void member.socket.emit('feeds:heads', { feeds: { [feed]: seq } }),
  });
  let joined = new Map<string, Set<Member>>();

  function forget(member: Member, feed: string): void {
    member.ends.delete(feed);
    member.feeds.delete(feed);
    joined.get(feed)?.delete(member);
  }

  function leave(member: Member, feed: string): void {
    forget(member, feed);
    lines.leave(member, feed);
  }

  /** Joins what a member may read and leaves all else. Gives the heads of what it joined. */
  function place(member: Member, readable: readonly Readable[]): Record<string, number> {
    const wanted = new Set(readable.map(({ feed }) => feed));
    for (const feed of [...member.feeds]) if (!wanted.has(feed)) leave(member, feed);
    const heads: Record<string, number> = {};
    let isDoubtful = false;
    for (const each of readable) {
      const outcome = placeIn(member, each);
      if (outcome === 'joined') heads[each.feed] = each.seq;
      if (outcome === 'doubtful') isDoubtful = true;
    }
    if (isDoubtful) doubtLater(member);
    setAlarm(member);
    return heads;
  }

  function placeIn(member: Member, each: Readable): 'joined' | 'there' | 'doubtful' {
    const { feed } = each;
    const end = each.due === null ? null : Date.parse(each.due);
    if (end !== null && end <= Date.now()) {
      // The worker's clock is behind this one, whose moment has come.
      leave(member, feed);
      return 'doubtful';
    }
    const isThere = lines.has(member, feed);
    if (isThere && !lines.judge(member, each)) return 'there';
    if (end === null) member.ends.delete(feed);
    else member.ends.set(feed, end);
    if (!isThere && !lines.join(member, each)) {
      member.ends.delete(feed);
      return 'doubtful';
    }
    member.lastFeed = feed;
    if (isThere) return 'there';
    member.feeds.add(feed);
    joined.set(feed, (joined.get(feed) ?? new Set()).add(member));
    return 'joined';
  }

  /** Access ends at this moment, or before. */
  function endAt(member: Member, feed: string, due: string): void {
    const end = Date.parse(due);
    member.ends.set(feed, Math.min(end, member.ends.get(feed) ?? end));
    setAlarm(member);
  }

  function setAlarm(member: Member): void {
    let nearest: number | null = null;
    for (const end of member.ends.values()) if (nearest === null || end < nearest) nearest = end;
    member.alarm.set(nearest);
  }

  function ring(member: Member): void {
    const now = Date.now();
    for (const [feed, end] of [...member.ends]) if (end <= now) leave(member, feed);
    setAlarm(member);
    doubt(member);
  }

  function remove(member: Member): void {
    if (member.gone) return;
    member.gone = true;
    for (const feed of [...member.feeds]) leave(member, feed);
    member.alarm.set(null);
    members.delete(member);
    if (member.audience.kind === 'public') return;
    const { id } = member.audience.user;
    const others = byUser.get(id);
    others?.delete(member);
    if (others?.size === 0) byUser.delete(id);
  }

  function enter(socket: RoomSocket, audience: Audience, readable: readonly Readable[]): Member {
    const alarm = createAlarm(() => ring(member));
    const member: Member = {
      ...{ socket, audience, alarm, feeds: new Set(), ends: new Map() },
      ...{ lastFeed: readable[0]?.feed ?? '', gone: false },
    };
    members.add(member);
    if (audience.kind === 'user') {
      const { id } = audience.user;
      byUser.set(id, (byUser.get(id) ?? new Set()).add(member));
    }
    for (const feed of Object.keys(place(member, readable))) lines.advance(feed);
    // Its feeds may have been read just before.
    if (audience.kind === 'user' && reread.has(audience.user.id)) doubt(member);
    return member;
  }

  function settle(member: Member, readable: readonly Readable[]): void {
    if (member.gone) return;
    if (member.audience.kind === 'public' && readable.length === 0) {
      remove(member);
      member.socket.emit('unpublished', { feed: member.lastFeed });
      member.socket.disconnect(true);
      return;
    }
    const fresh = readable.filter(({ feed }) => !member.feeds.has(feed)).map(({ feed }) => feed);
    const ready = lines.listen(fresh);
    // What is committed before the gateway listens would be missed: so it is judged again then.
    void ready?.then(() => doubt(member));
    const heads = place(member, ready === null ? readable : readable.filter(({ feed }) => !fresh.includes(feed)));
    // Its slices follow from there on.
    if (Object.keys(heads).length > 0) member.socket.emit('feeds:heads', { feeds: heads });
    for (const feed of Object.keys(heads)) lines.advance(feed);
  }

  return {
    /** Lets a socket in that was judged when it connected, and was told the heads of its feeds. */
    enter,

    /** Takes a judgement in. An anonymous socket that may read nothing any more is told and closed (PUB5). */
    settle,

    /** Takes a socket out of all rooms for good. */
    remove,

    /** Listens to feeds before their reader is judged by it. Null where that was so already; else resolves when it is. */
    listen: lines.listen,

    /** Hands a slice on to those who may hear it; `bytes` is its length on the wire. */
    take: lines.take,

    /** Takes in that a feed's epoch was raised, also where nobody hears it: somebody may be on the way there. */
    raise(raise: FeedRaise): void {
      explanations.add(raise);
      lines.raise(raise);
    },

    /** Compares with an epoch that was read: where nothing explains it, a message was lost. */
    catchUp: lines.suspect,

    /** Has the feeds of these users read anew for all their sockets here, those on their way included. */
    reread(userIds: Iterable<string>): void {
      for (const id of userIds) {
        reread.set(id, true);
        for (const member of byUser.get(id) ?? []) doubt(member);
      }
    },

    /** Has everybody judged anew: messages may have been lost. */
    rereadAll(): void {
      for (const member of members) doubt(member);
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
    takeJoined(): ReadonlyMap<string, ReadonlySet<Member>> {
      const taken = joined;
      joined = new Map();
      return taken;
    },

    stop: lines.stop,
  };
}

/** Follows a control message. */
export function followControl(rooms: Pick<Rooms, 'raise' | 'reread'>, { feeds, readers }: ControlMessage): void {
  for (const raise of feeds) rooms.raise(raise);
  rooms.reread(readers);
}
