// Searches every byte that a reader receives for ids, texts, e-mails and public tokens that the
// reader may not know. The reference model decides what they may know. Texts of random commands are
// numbered (`title-17`), so that each is unique.
import { stripDiff } from '@taskgraph/domain/views/public-view';
import type { ControlMessage, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { Op } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed } from '@taskgraph/wire/feeds';
import { feedsOf } from '../rules/feeds.ts';
import { type Visibility, visibilityAcross, visibilityOf } from '../rules/visibility.ts';
import type { ModelState, ModelUser } from '../state.ts';

const EMAILS = /[\w.+-]+@example\.(?:com|org)/g;
const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const FIRST_EPOCH = 1;
const TEXTS = /(?:title|text|tag)-\d+/g;

/** The state at some moment. */
export interface Moment {
  readonly state: ModelState;
  readonly now: string;
}

/** From one state to another, with the states between the operations of a batch. */
interface Transition {
  readonly before: Moment;
  readonly between: readonly ModelState[];
  readonly after: Moment;
}

/**
 * The parts of a message that none of the sights allows and that the reader did not send
 * themselves.
 */
export function findLeaks(
  sent: unknown,
  sights: readonly Visibility[],
  said: unknown,
  tokens: Iterable<string>,
): string[] {
  const [text, own] = [JSON.stringify(sent ?? null), JSON.stringify(said ?? null)];
  const [emails, rest] = [text.match(EMAILS) ?? [], text.replaceAll(EMAILS, '')];
  const unknown = (found: Iterable<string>, kind: keyof Visibility) =>
    [...new Set(found)]
      .filter((one) => !own.includes(one) && !sights.some((sight) => sight[kind].has(one)))
      .map((one) => `${kind}: ${one}`);
  return [
    ...unknown(emails, 'emails'),
    ...unknown(rest.match(IDS) ?? [], 'ids'),
    ...unknown(rest.match(TEXTS) ?? [], 'titles'),
    ...unknown(
      [...tokens].filter((token) => rest.includes(token)),
      'tokens',
    ),
  ];
}

/** All ids in a message. */
export function idsIn(sent: unknown): string[] {
  return JSON.stringify(sent ?? null).match(IDS) ?? [];
}

/** A reader of pushes: a user, or an anonymous holder of a public token. */
type Reader = ModelUser | { readonly token: string };

/**
 * The readers who may still receive an epoch of a feed in the worst case. A verified reader stays
 * in an epoch for ever, as if each control message was lost, and enters the next epoch if the
 * message does not name them, as if it arrived. Only the clock removes a reader, because gateways
 * have their own timers. So a push of an epoch must contain nothing that one of these readers may
 * not see.
 */
export class FeedReaders {
  readonly #users: readonly ModelUser[];
  readonly #epochs = new Map<string, number>();
  readonly #inside = new Map<string, Map<string, Reader>>();
  readonly #tokens = new Set<string>();
  readonly #learned = new Map<string, Set<string>>();

  constructor(users: readonly ModelUser[]) {
    this.#users = users;
  }

  /** All public tokens ever created. */
  get tokens(): ReadonlySet<string> {
    return this.#tokens;
  }

  /** Ids that a user was rightly sent before; a removal names them once more (EVT2). */
  learned({ email }: ModelUser, more: Iterable<string> = []): ReadonlySet<string> {
    const ids = this.#learned.get(email) ?? new Set();
    this.#learned.set(email, ids);
    for (const id of more) ids.add(id);
    return ids;
  }

  /** Tells gateways about the new epochs of feeds. */
  raise({ feeds }: ControlMessage): void {
    for (const { feed, epoch } of feeds) this.#epochs.set(feed, Math.max(epoch, this.#epoch(feed)));
  }

  /**
   * The subscriptions that a group's control message verifies before its pushes come, because it
   * does not name their readers (EVT4).
   */
  explain({ feeds }: ControlMessage): void {
    for (const { feed, previous, epoch, leaving = [], public: open } of feeds) {
      if (previous === undefined) continue;
      const named = new Set(leaving.filter(({ due }) => due === undefined).map(({ user }) => user));
      for (let next = previous + 1; next <= epoch; next++) {
        for (const [name, reader] of this.#room(feed, false, previous)) {
          if (!('token' in reader) && !named.has(reader.id)) this.#room(feed, false, next).set(name, reader);
        }
        if (open !== undefined && open.due === undefined) continue;
        for (const [name, reader] of this.#room(feed, true, previous)) this.#room(feed, true, next).set(name, reader);
      }
    }
  }

  /** Admits all current readers. */
  admit(moment: Moment): void {
    for (const [name, reader] of this.#readers(moment)) {
      for (const feed of feedsRead(reader, moment)) this.#room(feed, 'token' in reader).set(name, reader);
    }
  }

  /** Moves the clock: readers who thereby lose a feed leave it. */
  wait(state: ModelState, before: string, now: string): void {
    // A reader who hid a feed may still receive it, and loses it at the same time.
    const shown = { ...state, grants: state.grants.map((grant) => ({ ...grant, showing: true })) };
    for (const [name, reader] of this.#readers({ state, now: before })) {
      const left = new Set(feedsRead(reader, { state: shown, now }));
      for (const feed of feedsRead(reader, { state: shown, now: before })) {
        if (left.has(feed)) continue;
        for (const [room, inside] of this.#inside) {
          if (room.slice(0, room.lastIndexOf('#')).endsWith(feed)) inside.delete(name);
        }
      }
    }
  }

  /** Leaks to the readers of one batch's pushes. */
  findLeaks(slices: readonly SliceMessage[], { before, between, after }: Transition): string[] {
    for (const { publicToken } of after.state.nodes) if (publicToken !== null) this.#tokens.add(publicToken);
    const leaks: string[] = [];
    const sights = new Map<string, Visibility>();
    for (const slice of slices) {
      const { feed, epoch } = slice;
      this.raise({ readers: [], feeds: [{ feed, epoch }] });
      for (const isPublic of slice.public ? [false, true] : [false]) {
        for (const [name, reader] of this.#room(feed, isPublic, epoch)) {
          const across = sights.get(name) ?? visibilityAcross(before, after, reader, [], between);
          sights.set(name, across);
          if (!('token' in reader)) this.learned(reader, across.ids);
          const is = visibilityOf(after.state, reader, after.now);
          const found = leaksOfSlice(slice, reader, { across, is }, this.tokens);
          leaks.push(...found.map((leak) => `${name} learns by ${slice.feed} of ${leak}`));
        }
      }
    }
    return leaks;
  }

  #readers({ state }: Moment): [string, Reader][] {
    const tokens = state.nodes.flatMap(({ publicToken }) => (publicToken === null ? [] : [publicToken]));
    return [
      ...this.#users.map((user): [string, Reader] => [user.email, user]),
      ...tokens.map((token): [string, Reader] => [token, { token }]),
    ];
  }

  #epoch(feed: string): number {
    return this.#epochs.get(feed) ?? FIRST_EPOCH;
  }

  #room(feed: string, isPublic: boolean, epoch = this.#epoch(feed)): Map<string, Reader> {
    const name = `${isPublic ? 'public/' : ''}${feed}#${epoch}`;
    const room = this.#inside.get(name) ?? new Map();
    this.#inside.set(name, room);
    return room;
  }
}

/** The feeds that a reader may enter. */
function feedsRead(reader: Reader, { state, now }: Moment): string[] {
  if (!('token' in reader)) return feedsOf(state, reader, now).map(({ feed }) => feed);
  const node = state.nodes.find(({ publicToken }) => publicToken === reader.token);
  if (node === undefined || node.inTrash || (node.publicDue !== null && node.publicDue <= now)) return [];
  return [node.publicBranch ? branchFeed(node.id) : nodeFeed(node.id)];
}

interface Entry {
  readonly op: number;
  readonly before: { readonly id?: string };
  readonly after: { readonly id?: string };
}

/**
 * A removed entity may be named to readers who lose it thereby, a deleted node with its former
 * content. Other entries go only to readers who still see the entity, with its former values.
 */
function leaksOfSlice(
  slice: SliceMessage,
  reader: Reader,
  { across, is }: { readonly across: Visibility; readonly is: Visibility },
  tokens: Iterable<string>,
): string[] {
  const isAnonymous = 'token' in reader;
  const diff = isAnonymous ? stripDiff(slice.diff, slice.feed) : slice.diff;
  const entries = [...((diff.nodes ?? []) as Entry[]), ...((diff.links ?? []) as Entry[])];
  const isDeletion = ({ op }: Entry) => op === Op.NODE_DELETE || op === Op.LINK_DELETE;
  const isSeen = (entry: Entry) => is.ids.has((entry.after.id ?? entry.before.id) as string);
  const known = entries.filter((entry) => isDeletion(entry) || isSeen(entry));
  const lost = entries.filter((entry) => !known.includes(entry));
  // The id of a batch without visible entries reveals no more than the number of its slice.
  const { batchId: _batch, ...told } = diff;
  const rest = { ...told, nodes: [], links: [], access: isAnonymous ? [] : [diff.access, slice.access] };
  return [
    ...findLeaks(known, [across], null, tokens),
    // Facts that a reader knew about a removed entity are not a leak; later facts would be.
    ...findLeaks([rest, lost], [{ ...across, titles: is.titles }], null, tokens),
  ];
}
