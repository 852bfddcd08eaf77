// The events of a webhook's message, from the stored changes of a batch. Pure. Rules: HOOK2, HOOK5.
import { Op, Status } from '@taskgraph/wire/codes';
import type { ChangeEvent } from '@taskgraph/wire/webhooks/webhook-fields';
import { feedOfGrant } from '../access/reader-access.ts';
import type { Disclosure } from '../access/trash-visibility.ts';
import type { StoredChange } from '../state/batch.ts';
import type { GrantState } from '../state/state.ts';
import { appliedState } from '../views/history.ts';
import { HIDDEN_FIELDS } from '../views/view.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An event as its reader may know it. Without `before` and `after` only its existence. */
export interface ShownEvent {
  readonly type: ChangeEvent;
  readonly id: string;
  /** Only of an event about access. */
  readonly feed?: string;
  readonly before?: Fields | null;
  readonly after?: Fields | null;
}

/** The reader's present view of the entities of one batch. */
export interface EventReader {
  /** Case-folded. */
  readonly email: string;
  /** The visible part of a change; null if the reader does not see its entity. */
  disclosure(change: StoredChange): Disclosure | null;
  /** Whether the reader sees an entity that the batch moved without changing it. */
  sees(kind: 'node' | 'link', id: string): boolean;
}

/** The ids that the entries of a batch in the reader's feeds name. */
export interface NamedIds {
  readonly nodes: ReadonlySet<string>;
  readonly links: ReadonlySet<string>;
}

const TYPES: Readonly<Partial<Record<Op, ChangeEvent>>> = {
  [Op.NODE_ADD]: 'node.added',
  [Op.NODE_UPDATE]: 'node.changed',
  [Op.NODE_TRASH]: 'node.trashed',
  [Op.NODE_RESTORE]: 'node.restored',
  [Op.NODE_DELETE]: 'node.deleted',
  [Op.NODE_PUBLISH]: 'node.changed',
  [Op.LINK_ADD]: 'link.added',
  [Op.LINK_UPDATE]: 'link.changed',
  [Op.LINK_TRASH]: 'link.trashed',
  [Op.LINK_RESTORE]: 'link.restored',
  [Op.LINK_DELETE]: 'link.deleted',
  [Op.LINK_SWAP]: 'link.changed',
};

/**
 * The events of some changes of a batch, in order. Only entities that `named` has count. An entity
 * that the reader no longer sees is reported once, as left.
 */
export function eventsOfChanges(changes: readonly StoredChange[], named: NamedIds, reader: EventReader): ShownEvent[] {
  const events: ShownEvent[] = [];
  const left = new Set<string>();
  for (const change of changes) {
    const isNamed = change.kind === 'link' ? named.links.has(change.id) : named.nodes.has(change.id);
    if (!isNamed) continue;
    if (change.kind === 'grant') {
      if (change.email === reader.email) events.push(...accessEvent(change));
      continue;
    }
    const disclosure = reader.disclosure(change);
    if (disclosure !== null) events.push(shownEvent(change, disclosure));
    else if (!left.has(change.id)) {
      left.add(change.id);
      events.push({ type: `${change.kind}.left`, id: change.id });
    }
  }
  return events;
}

/** An event without its fields; of a link, with its ends. */
export function bareEvent({ type, id, feed, before, after }: ShownEvent): ShownEvent {
  const ends = (state: ShownEvent['after']) => {
    const { source, target } = state ?? {};
    return typeof source === 'string' && typeof target === 'string' ? { source, target } : undefined;
  };
  const [was, is] = type.startsWith('link.') ? [ends(before), ends(after)] : [];
  return {
    type,
    id,
    ...(feed === undefined ? {} : { feed }),
    ...(was === undefined ? {} : { before: was }),
    ...(is === undefined ? {} : { after: is }),
  };
}

/** The events of the named entities that a batch moved between feeds and did not change. */
export function eventsOfMoves(named: NamedIds, changed: ReadonlySet<string>, reader: EventReader): ShownEvent[] {
  const moves = (kind: 'node' | 'link', ids: ReadonlySet<string>) =>
    [...ids]
      .filter((id) => !changed.has(id))
      .map((id): ShownEvent => ({ type: reader.sees(kind, id) ? `${kind}.joined` : `${kind}.left`, id }));
  return [...moves('node', named.nodes), ...moves('link', named.links)];
}

function shownEvent(change: StoredChange, disclosure: Disclosure): ShownEvent {
  const { id, before, after } = change;
  const type = typeOf(change);
  if (disclosure === 'bare') return { type, id };
  return {
    type,
    id,
    before: shownFields(before, disclosure),
    after: shownFields(appliedState(before, after), disclosure),
  };
}

function typeOf({ op, before, after }: StoredChange): ChangeEvent {
  if (op !== Op.NODE_STATUS) return TYPES[op] ?? 'node.changed';
  const [was, is] = [before?.status, after?.status];
  if (is === Status.COMPLETED && was !== Status.COMPLETED) return 'node.completed';
  if (was === Status.COMPLETED && is !== Status.COMPLETED) return 'node.reopened';
  if (is === Status.BLOCKED && was !== Status.BLOCKED) return 'node.blocked';
  if (was === Status.BLOCKED && is !== Status.BLOCKED) return 'node.unblocked';
  return 'node.changed';
}

function shownFields(state: StoredChange['after'], disclosure: Disclosure): Fields | null {
  if (state === null) return null;
  return Object.fromEntries(
    Object.entries(state).filter(
      ([field]) => !HIDDEN_FIELDS.has(field) && (disclosure === 'whole' || field !== 'publicToken'),
    ),
  );
}

/** A grant to the reader: a feed gained or lost, or another level in it. A hidden grant opens no feed (ACL6). */
function accessEvent({ id, before, after }: StoredChange): ShownEvent[] {
  const [was, is] = [shownGrant(before), shownGrant(after)];
  const moved = (type: ChangeEvent, grant: GrantState): ShownEvent => {
    const level = (state: GrantState | null) => (state === null ? null : { level: state.level, due: state.due });
    return { type, id, feed: feedOfGrant(grant), before: level(was), after: level(is) };
  };
  if (was !== null && is !== null && feedOfGrant(was) === feedOfGrant(is)) {
    return was.level === is.level ? [] : [moved('access.level', is)];
  }
  return [...(was === null ? [] : [moved('access.lost', was)]), ...(is === null ? [] : [moved('access.gained', is)])];
}

/** The feeds that some changes open for a user. */
export function openedFeeds(changes: readonly StoredChange[], email: string): string[] {
  return changes
    .filter((change) => change.kind === 'grant' && change.email === email)
    .flatMap(accessEvent)
    .flatMap(({ type, feed }) => (type === 'access.gained' && feed !== undefined ? [feed] : []));
}

function shownGrant(state: StoredChange['after']): GrantState | null {
  const grant = state as unknown as GrantState | null;
  return grant?.showing === true ? grant : null;
}
