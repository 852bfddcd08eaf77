// Reads a board that Trello exports as JSON: cards with their lists, labels, members and check
// lists. Rules: IO2, IO9.
import { dueDateInFile } from '../../../values/days.ts';
import { reportFields } from '../../fields/source-field.ts';
import {
  BOARD_FIELDS,
  CARD_FIELDS,
  CHECK_ITEM_FIELDS,
  CHECKLIST_FIELDS,
  LIST_FIELDS,
} from '../../fields/trackers/trello.ts';
import { addLink, blockingLink, groupStatus } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import {
  excerpt,
  placeOf,
  STATUS_NAMES,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from '../../graph/transfer-graph.ts';
import { type JsonCursor, readJson } from '../../text/json-cursor.ts';
import { STATUS_OF_LIST } from '../../values/status-values.ts';
import { statusOfWord } from '../../values/words.ts';

const BOARD_KEY = 'board';
/** Actions of the history that hold a comment. */
const COMMENT_TYPES = new Set(['commentCard', 'copyCommentCard']);

interface ListOfCards {
  readonly name: string;
  readonly isArchived: boolean;
}

interface ReadState {
  readonly drafts: NodeDraft[];
  readonly links: TransferLink[];
  readonly keys: Set<string>;
  /** Names of cards, also of those that are left out. */
  readonly titles: Map<string, string>;
  readonly lists: ReadonlyMap<string, ListOfCards>;
  readonly people: ReadonlyMap<string, string>;
  readonly labels: ReadonlyMap<string, string>;
  readonly losses: LossReport;
}

/**
 * Reads a board. The items of check lists block their card, and cards block the board. The list of
 * a card becomes a tag, and its status if the name means one. Throws a BrokenFile.
 */
export function readTrello(text: string): TransferGraph {
  const board = readJson(text).object('the file');
  const losses = createLossReport();
  const state: ReadState = {
    drafts: [],
    links: [],
    keys: new Set([BOARD_KEY]),
    titles: new Map(),
    lists: listsOf(board, losses),
    people: namesIn(board, 'members', ['fullName', 'username']),
    labels: namesIn(board, 'labels', ['name', 'color']),
    losses,
  };
  const title = board.at('name').text('"name"');
  reportFields(board.value, BOARD_FIELDS, excerpt(title), losses);
  if (board.at('closed').value === true) losses.note('that a board is closed', excerpt(title));
  const cards = inOrder(listAt(board, 'cards')).flatMap((card) => addCard(card, state));
  for (const checklist of listAt(board, 'checklists')) addChecklist(checklist.object('a check list'), state);
  reportActions(board, state);
  const description = board.at('desc').text('"desc"');
  const root: NodeDraft = { key: BOARD_KEY, line: board.line, title, description, status: groupStatus(cards) };
  for (const { key } of cards) addLink(state.links, blockingLink(key, BOARD_KEY));
  return {
    nodes: [...state.drafts, root].map((draft) => fitNode(draft, losses)),
    links: state.links,
    leftOut: losses.list(),
  };
}

function listAt(cursor: JsonCursor, name: string): JsonCursor[] {
  const list = cursor.at(name);
  return list.isThere() ? list.list(`"${name}"`, TRANSFER_BOUNDS.links) : [];
}

/** The export has cards in the order of their creation. `pos` is their order in a list. */
function inOrder(cards: readonly JsonCursor[]): JsonCursor[] {
  const positionOf = (card: JsonCursor) => {
    const { value } = card.object('a card').at('pos');
    return typeof value === 'number' && Number.isFinite(value) ? value : 0;
  };
  return cards
    .map((card) => ({ card, position: positionOf(card) }))
    .sort((one, other) => one.position - other.position)
    .map(({ card }) => card);
}

function listsOf(board: JsonCursor, losses: LossReport): Map<string, ListOfCards> {
  const lists = new Map<string, ListOfCards>();
  for (const each of listAt(board, 'lists')) {
    const list = each.object('a list');
    const name = list.at('name').text('the name of a list');
    const isArchived = list.at('closed').value === true;
    if (isArchived) losses.note('a list that is archived', `${excerpt(name)} (line ${list.line})`);
    reportFields(list.value, LIST_FIELDS, excerpt(name), losses);
    lists.set(list.at('id').text('the id of a list'), { name, isArchived });
  }
  return lists;
}

/** The first of the fields with a text, by id. */
function namesIn(board: JsonCursor, list: string, fields: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const each of listAt(board, list)) {
    const object = each.object(`an entry of "${list}"`);
    const texts = fields.map((field) => object.at(field).text(`"${field}"`));
    names.set(object.at('id').text('"id"'), texts.find((text) => text !== '') ?? '');
  }
  return names;
}

/** Adds a card, unless it is archived. */
function addCard(card: JsonCursor, state: ReadState): NodeDraft[] {
  const { titles, losses, lists, drafts } = state;
  const id = card.at('id').text('the id of a card');
  const title = card.at('name').text('the name of a card');
  const place = placeOf({ title: title, line: card.line });
  titles.set(id, place);
  const list = lists.get(card.at('idList').text('"idList"'));
  if (card.at('closed').value === true || list?.isArchived === true) {
    losses.note('a card that is archived', place);
    return [];
  }
  reportFields(card.value, CARD_FIELDS, place, losses);
  if (list === undefined) losses.note('a list that is not in the file', place);
  const draft: NodeDraft = {
    key: uniqueKey('card', card, state),
    line: card.line,
    title,
    description: card.at('desc').text('"desc"'),
    status: card.at('dueComplete').value === true ? 3 : statusOfList(list?.name ?? '', place, losses),
    dueDate: dueOf(card),
    tags: [...(list === undefined ? [] : [list.name]), ...labelsOf(card, place, state)],
    assignee: namesOf(listAt(card, 'idMembers'), state.people, () =>
      losses.note('a member who is not in the file', place),
    ),
  };
  drafts.push(draft);
  return [draft];
}

/** The status that the name of a list means, as in tables; Available if it means none. */
function statusOfList(name: string, place: string, losses: LossReport): TransferNode['status'] {
  const { value = 0 } = statusOfWord(name, undefined) ?? {};
  if (value !== 0) losses.note(STATUS_OF_LIST, `${excerpt(name)} → ${STATUS_NAMES[value]}: ${place}`);
  return value;
}

function uniqueKey(kind: 'card' | 'item', cursor: JsonCursor, { keys }: ReadState): string {
  const id = cursor.at('id').text('"id"');
  const key = `${kind} ${id}`;
  if (id === '') cursor.refuse(`a ${kind} has no "id"`);
  if (keys.has(key)) cursor.refuse(`two ${kind}s have the same id`);
  keys.add(key);
  return key;
}

function dueOf(cursor: JsonCursor): string | null {
  const text = cursor.at('due').text('"due"');
  return text === '' ? null : (dueDateInFile(text) ?? cursor.refuse(`${excerpt(text)} is not a time`));
}

/** A card has its labels, in old exports only their ids. A label without a name has its colour. */
function labelsOf(card: JsonCursor, place: string, { labels, losses }: ReadState): string[] {
  const own = listAt(card, 'labels').map((each) => {
    const label = each.object('a label');
    return label.at('name').text('the name of a label') || label.at('color').text('the colour of a label');
  });
  const ids = listAt(card, 'idLabels');
  return own.length > 0 ? own : namesOf(ids, labels, () => losses.note('a label that is not in the file', place));
}

function namesOf(ids: readonly JsonCursor[], names: ReadonlyMap<string, string>, onMissing: () => void): string[] {
  return ids.flatMap((each) => {
    const name = names.get(each.text('an id'));
    if (name === undefined) onMissing();
    return name ?? [];
  });
}

function addChecklist(checklist: JsonCursor, state: ReadState): void {
  const { keys, titles, losses, drafts, links } = state;
  const id = checklist.at('idCard').text('"idCard"');
  const card = `card ${id}`;
  const name = checklist.at('name').text('the name of a check list');
  const place = `${excerpt(name)} of ${titles.get(id) ?? 'a card that is not in the file'}`;
  const items = inOrder(listAt(checklist, 'checkItems'));
  if (!keys.has(card)) {
    // An archived card is reported with everything in it.
    if (!titles.has(id)) losses.note('a check list of a card that is not in the file', place);
    return;
  }
  reportFields(checklist.value, CHECKLIST_FIELDS, place, losses);
  for (const item of items) {
    const title = item.at('name').text('the name of an item');
    reportFields(item.value, CHECK_ITEM_FIELDS, placeOf({ title: title, line: item.line }), losses);
    const member = item.at('idMember').text('"idMember"');
    const person = state.people.get(member);
    if (member !== '' && person === undefined) losses.note('a member who is not in the file', place);
    const key = uniqueKey('item', item, state);
    const status = item.at('state').text('"state"') === 'complete' ? 3 : 0;
    drafts.push({
      key,
      line: item.line,
      title,
      status,
      dueDate: dueOf(item),
      assignee: person === undefined ? [] : [person],
    });
    addLink(links, blockingLink(key, card));
  }
}

/** The history of the board. Comments exist only there. */
function reportActions(board: JsonCursor, { titles, losses }: ReadState): void {
  for (const each of listAt(board, 'actions')) {
    const action = each.object('an action');
    const type = action.at('type').text('the type of an action');
    const id = action.at('data').at('card').at('id').text('the id of a card');
    if (COMMENT_TYPES.has(type)) losses.note('comments', titles.get(id) ?? `line ${action.line}`);
    else losses.noteOnce('the history of a board', type.slice(0, 60));
  }
}
