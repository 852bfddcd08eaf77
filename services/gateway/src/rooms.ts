// Which sockets of this gateway are in the rooms of which feeds. Rules: ACL5 to ACL7, EVT1, PUB3, PUB5; see ARCHITECTURE.md, "Owners are locked, feeds are numbered".
//
// A room belongs to one epoch of its feed. Whoever is in doubt is out: a socket leaves first, is judged by a worker that has read the
// epoch before, and joins the room of that epoch. So a message that comes late or never makes a hole, which heals, and never a leak.
import { type ControlMessage, publicRoomOf, roomOf } from '@taskgraph/wire/messages';
import { LRUCache } from 'lru-cache';
import { createAlarm } from './alarm.ts';
import type { Audience, Member, Readable, RoomSocket } from './member.ts';

/** What control messages told of is remembered for longer than any answer is under way: one from before must not count as the last word. */
const REMEMBERED = { max: 10_000, ttl: 60_000 };

interface Room {
  readonly epoch: number;
  readonly members: Set<Member>;
}

interface Options {
  /** Called for each member whose feeds have to be judged anew. */
  readonly doubt: (member: Member) => void;
  /** The same, where judging at once would bring the same answer. */
  readonly doubtLater: (member: Member) => void;
}

export type Rooms = ReturnType<typeof createRooms>;

export function createRooms({ doubt, doubtLater }: Options) {
  const byUser = new Map<string, Set<Member>>();
  const members = new Set<Member>();
  const served = new Map<string, Map<string, Room>>();
  const raised = new LRUCache<string, number>(REMEMBERED);
  const reread = new LRUCache<string, true>(REMEMBERED);
  let joined = new Map<string, Set<Member>>();

  function join(member: Member, { feed, epoch }: Readable): void {
    const name = roomName(member, feed, epoch);
    const rooms = served.get(feed) ?? new Map<string, Room>();
    const room = rooms.get(name) ?? { epoch, members: new Set() };
    served.set(feed, rooms.set(name, room));
    room.members.add(member);
    member.epochs.set(feed, epoch);
    joined.set(feed, (joined.get(feed) ?? new Set()).add(member));
    void member.socket.join(name);
  }

  function leave(member: Member, feed: string): void {
    const epoch = member.epochs.get(feed);
    member.ends.delete(feed);
    if (epoch === undefined) return;
    const name = roomName(member, feed, epoch);
    const rooms = served.get(feed);
    const room = rooms?.get(name);
    room?.members.delete(member);
    if (room?.members.size === 0) rooms?.delete(name);
    if (rooms?.size === 0) served.delete(feed);
    member.epochs.delete(feed);
    joined.get(feed)?.delete(member);
    void member.socket.leave(name);
  }

  function remember(feed: string, epoch: number): void {
    if (epoch > (raised.get(feed) ?? 0)) raised.set(feed, epoch);
  }

  /** Takes all members out of the older rooms of a feed, to be judged. */
  function leaveOlder(feed: string, epoch: number): void {
    for (const room of [...(served.get(feed)?.values() ?? [])]) {
      if (room.epoch >= epoch) continue;
      remember(feed, epoch);
      for (const member of [...room.members]) {
        leave(member, feed);
        doubt(member);
      }
    }
  }

  /** Joins what a member may read and leaves all else. Gives the heads of what it joined. */
  function place(member: Member, readable: readonly Readable[]): Record<string, number> {
    const wanted = new Set(readable.map(({ feed }) => feed));
    for (const feed of [...member.epochs.keys()]) if (!wanted.has(feed)) leave(member, feed);
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
    const { feed, epoch } = each;
    const present = member.epochs.get(feed);
    if (present !== undefined && present > epoch) return 'there';
    const end = each.due === null ? null : Date.parse(each.due);
    // The worker's clock is behind this one, whose moment has come.
    const isOver = end !== null && end <= Date.now();
    if (isOver || (present !== undefined && present < epoch)) leave(member, feed);
    leaveOlder(feed, epoch);
    if (isOver || (present === undefined && epoch < (raised.get(feed) ?? 0))) return 'doubtful';
    if (end === null) member.ends.delete(feed);
    else member.ends.set(feed, end);
    member.lastFeed = feed;
    if (member.epochs.has(feed)) return 'there';
    join(member, each);
    return 'joined';
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
    member.alarm.set(null);
    for (const feed of [...member.epochs.keys()]) leave(member, feed);
    members.delete(member);
    if (member.audience.kind === 'public') return;
    const { id } = member.audience.user;
    const others = byUser.get(id);
    others?.delete(member);
    if (others?.size === 0) byUser.delete(id);
  }

  return {
    /** Lets a socket in that was judged when it connected. */
    enter(socket: RoomSocket, audience: Audience, readable: readonly Readable[]): Member {
      const alarm = createAlarm(() => ring(member));
      const member: Member = {
        ...{ socket, audience, alarm, epochs: new Map(), ends: new Map() },
        ...{ lastFeed: readable[0]?.feed ?? '', gone: false },
      };
      members.add(member);
      place(member, readable);
      if (audience.kind === 'public') return member;
      const { id } = audience.user;
      byUser.set(id, (byUser.get(id) ?? new Set()).add(member));
      // Its feeds may have been read just before.
      if (reread.has(id)) doubt(member);
      return member;
    },

    /** Takes a judgement in. An anonymous socket that may read nothing any more is told and closed (PUB5). */
    settle(member: Member, readable: readonly Readable[]): void {
      if (member.gone) return;
      if (member.audience.kind === 'public' && readable.length === 0) {
        remove(member);
        member.socket.emit('unpublished', { feed: member.lastFeed });
        member.socket.disconnect(true);
        return;
      }
      const heads = place(member, readable);
      // What came while the socket was in no room is a hole, and shows by this.
      if (Object.keys(heads).length > 0) member.socket.emit('feeds:heads', { feeds: heads });
    },

    /** Takes a socket out of all rooms for good. */
    remove,

    /** Takes in that a feed's epoch was raised, also where nobody is in a room of it: somebody may be on the way there. */
    raise(feed: string, epoch: number): void {
      remember(feed, epoch);
      leaveOlder(feed, epoch);
    },

    /** Compares with an epoch that was read: where it is above a room's, a message was lost. */
    catchUp: leaveOlder,

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
    served(): Map<string, string[]> {
      return new Map([...served].map(([feed, rooms]) => [feed, [...rooms.keys()]]));
    },

    /** How many rooms there are here. */
    count(): number {
      let count = 0;
      for (const rooms of served.values()) count += rooms.size;
      return count;
    },

    /** By feed, the sockets that joined a room of it since the last call. */
    takeJoined(): ReadonlyMap<string, ReadonlySet<Member>> {
      const taken = joined;
      joined = new Map();
      return taken;
    },
  };
}

/** Follows a control message. */
export function followControl(rooms: Pick<Rooms, 'raise' | 'reread'>, { feeds, readers }: ControlMessage): void {
  for (const { feed, epoch } of feeds) rooms.raise(feed, epoch);
  rooms.reread(readers);
}

function roomName({ audience }: Member, feed: string, epoch: number): string {
  return audience.kind === 'public' ? publicRoomOf(feed, epoch) : roomOf(feed, epoch);
}
