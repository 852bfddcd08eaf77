// The view of anonymous readers of a published branch or node: nodes, links and slices. Rule: PUB4.
import { Op } from '@taskgraph/wire/codes';
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import { type Field, type FieldTable, isStored, namesWhere } from '@taskgraph/wire/field-table';
import { withoutSlot } from '@taskgraph/wire/ids';
import { LINK_FIELDS } from '@taskgraph/wire/link-fields';
import { NODE_FIELDS } from '@taskgraph/wire/node-fields';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that anonymous readers are shown, and the mark of a deletion. Share roots are cut by themselves. */
const NODE_FIELD_NAMES: readonly string[] = [...namesFor(NODE_FIELDS, 'everyone'), 'deleted'];
const ROOT_FIELD_NAMES: readonly string[] = [...NODE_FIELD_NAMES, ...namesFor(NODE_FIELDS, 'publication')];
const LINK_FIELD_NAMES: readonly string[] = [...namesFor(LINK_FIELDS, 'everyone'), 'deleted'];
const DIFF_FIELDS: readonly string[] = ['batchId', 'ts', 'joined', 'left', 'reset', 'truncated'];

/** A node of a page, or one side of a diff's entry. `feed` is the one that the reader's token opens. */
export function stripNode(node: Fields, feed: string): Record<string, unknown> {
  // The publications of other nodes would tell that these are published too.
  const isRoot = node.id === subjectOfFeed(feed);
  return withRoots(pick(node, isRoot ? ROOT_FIELD_NAMES : NODE_FIELD_NAMES), node, feed);
}

/** A link of a page, or one side of a diff's entry. A private link has no place there at all: `isPrivate` tells it. */
export function stripLink(link: Fields, feed: string): Record<string, unknown> {
  return withRoots(pick(link, LINK_FIELD_NAMES), link, feed);
}

/** Whether a link is, or in a diff's entry was or becomes, somebody's own. */
export function isPrivate(...sides: readonly Fields[]): boolean {
  return sides.some((side) => side.private === true);
}

/** A slice's diff. Every version step of what it names stays, even where no field of it does (EVT1). */
export function stripDiff(diff: Fields, feed: string): Record<string, unknown> {
  const links = entriesOf(diff.links)?.filter((entry) => !isPrivate(entry.before, entry.after) && !isOutOfTrash(entry));
  return {
    ...pick(diff, DIFF_FIELDS),
    // The slot in a batch's id is its actor's.
    ...(typeof diff.batchId === 'string' && { batchId: withoutSlot(diff.batchId) }),
    ...stripEntries('nodes', entriesOf(diff.nodes)?.map(withoutPublication(feed)), (node) => stripNode(node, feed)),
    ...stripEntries('links', links, (link) => stripLink(link, feed)),
  };
}

/** That another node than the feed's own is published shows in the operation too: what is left of it is a step like any other. */
function withoutPublication(feed: string): (entry: Entry) => Entry {
  return (entry) =>
    entry.op === Op.NODE_PUBLISH && entry.after.id !== subjectOfFeed(feed) ? { ...entry, op: Op.NODE_UPDATE } : entry;
}

/** Whether a link goes for good that was in the trash: it may have been put there before its ends were published, so that nobody here knows it. */
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

/** A marker in place of a long slice has no entries. */
function stripEntries(name: string, entries: Entry[] | undefined, strip: (side: Fields) => Record<string, unknown>) {
  if (entries === undefined) return {};
  return { [name]: entries.map(({ op, before, after }) => ({ op, before: strip(before), after: strip(after) })) };
}

/** Of the share roots only the token's own: others would tell of branches that the reader knows nothing of. */
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
