// The view of anonymous readers: nodes, links and slices of a publication. Rule: PUB4.
import { Op } from '@taskgraph/wire/codes';
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import { type Field, type FieldTable, isStored, namesWhere } from '@taskgraph/wire/field-table';
import { withoutSlot } from '@taskgraph/wire/ids';
import { LINK_FIELDS } from '@taskgraph/wire/link-fields';
import { NODE_FIELDS } from '@taskgraph/wire/node-fields';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields that anonymous readers see, and the mark of a deletion. `withRoots` selects share
 * roots.
 */
const NODE_FIELD_NAMES: readonly string[] = [...namesFor(NODE_FIELDS, 'everyone'), 'deleted'];
const ROOT_FIELD_NAMES: readonly string[] = [...NODE_FIELD_NAMES, ...namesFor(NODE_FIELDS, 'publication')];
const LINK_FIELD_NAMES: readonly string[] = [...namesFor(LINK_FIELDS, 'everyone'), 'deleted'];
const DIFF_FIELDS: readonly string[] = ['batchId', 'ts', 'joined', 'left', 'reset', 'truncated'];

/**
 * A node of a page, or one side of a diff entry. `feed` is the feed that the reader's token opens.
 */
export function stripNode(node: Fields, feed: string): Record<string, unknown> {
  // Publications of other nodes would reveal that these are public too.
  const isRoot = node.id === subjectOfFeed(feed);
  return withRoots(pick(node, isRoot ? ROOT_FIELD_NAMES : NODE_FIELD_NAMES), node, feed);
}

/** A link of a page, or one side of a diff entry. Private links must be excluded before. */
export function stripLink(link: Fields, feed: string): Record<string, unknown> {
  return withRoots(pick(link, LINK_FIELD_NAMES), link, feed);
}

/** Whether a link is private on any side of a diff entry. */
export function isPrivate(...sides: readonly Fields[]): boolean {
  return sides.some((side) => side.private === true);
}

/** A slice's diff. Every version step remains, even without visible fields (EVT1). */
export function stripDiff(diff: Fields, feed: string): Record<string, unknown> {
  const links = entriesOf(diff.links)?.filter((entry) => !isPrivate(entry.before, entry.after) && !isOutOfTrash(entry));
  return {
    ...pick(diff, DIFF_FIELDS),
    // The slot in a batch id is the actor's.
    ...(typeof diff.batchId === 'string' && { batchId: withoutSlot(diff.batchId) }),
    ...stripEntries('nodes', entriesOf(diff.nodes)?.map(withoutPublication(feed)), (node) => stripNode(node, feed)),
    ...stripEntries('links', links, (link) => stripLink(link, feed)),
  };
}

/**
 * An operation code would reveal that another node is public, so the entry becomes a plain update.
 */
function withoutPublication(feed: string): (entry: Entry) => Entry {
  return (entry) =>
    entry.op === Op.NODE_PUBLISH && entry.after.id !== subjectOfFeed(feed) ? { ...entry, op: Op.NODE_UPDATE } : entry;
}

/**
 * Whether a trashed link is deleted. It may have been trashed before its ends were published, when
 * no anonymous reader knew it.
 */
function isOutOfTrash({ op, before }: Entry): boolean {
  return op === Op.LINK_DELETE && before.inTrash === true;
}

interface Entry {
  readonly op: unknown;
  readonly before: Fields;
  readonly after: Fields;
}

function entriesOf(value: unknown): Entry[] | undefined {
  return value as Entry[] | undefined;
}

/** A slice that was too long has a marker without entries. */
function stripEntries(name: string, entries: Entry[] | undefined, strip: (side: Fields) => Record<string, unknown>) {
  if (entries === undefined) return {};
  return { [name]: entries.map(({ op, before, after }) => ({ op, before: strip(before), after: strip(after) })) };
}

/** Only the token's own share root: others would reveal other branches. */
function withRoots(shown: Record<string, unknown>, { shareRoots }: Fields, feed: string): Record<string, unknown> {
  if (!Array.isArray(shareRoots)) return shown;
  const root = subjectOfFeed(feed);
  return { ...shown, shareRoots: shareRoots.filter((id) => id === root) };
}

function namesFor(table: FieldTable, readers: Field['readers']): string[] {
  return namesWhere(table, (field) => isStored(field) && field.readers === readers);
}

function pick(fields: Fields, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]));
}
