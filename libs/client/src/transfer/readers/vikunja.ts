// Vikunja's export: the `data.json` of its archive, a list of projects with their tasks. Rule: IO2.
import { fitted, type Loose, timeIn } from '../fitting.ts';
import { blocks, groupStatus, relates } from '../groups.ts';
import { type Cursor, readJson } from '../json-source.ts';
import { createLedger, type Ledger, TRANSFER_BOUNDS, type TransferGraph, type TransferLink } from '../model.ts';

/** How Vikunja names the relation of a task to those listed under it; `true` where the listed ones come first. */
const BLOCKING: ReadonlyMap<string, boolean> = new Map(
  Object.entries({
    ...{ subtask: true, blocked: true, follows: true },
    ...{ parenttask: false, blocking: false, precedes: false },
  }),
);
const BESIDE = new Set(['related', 'duplicateof', 'duplicates', 'copiedfrom', 'copiedto']);
/** Fields that have no place here. */
const LOST: Readonly<Record<string, string>> = {
  ...{
    start_date: 'when a task begins',
    end_date: 'when a task ends',
    reminders: 'reminders',
    repeat_after: 'how a task recurs',
  },
  ...{
    attachments: 'attachments',
    percent_done: 'how much of a task is done',
    bucket_id: 'the bucket of a task',
    hex_color: 'a colour',
  },
  ...{ comments: 'comments', reactions: 'reactions' },
  ...{ done_at: 'when a task was completed', is_favorite: 'that a task is a favourite' },
};
const NO_TIME = '0001-01-01T00:00:00Z';

/** Reads an export. A task blocks its project, and a project the one above it. Throws a BrokenFile. */
export function readVikunja(text: string): TransferGraph {
  const ledger = createLedger();
  const [drafts, links]: [Loose[], TransferLink[]] = [[], []];
  const seen = new Set<string>();
  const projects = readJson(text)
    .list('the file', TRANSFER_BOUNDS.nodes)
    .map((each) => each.object('a project'));
  const relations: { readonly key: string; readonly cursor: Cursor }[] = [];
  for (const project of projects) {
    const key = `project ${idOf(project, 'a project')}`;
    if (seen.has(key)) project.refuse('two projects have one id');
    seen.add(key);
    const tasks = listAt(project, 'tasks').map((each) => each.object('a task'));
    const own = tasks.map((task) => {
      const draft = taskOf(task, ledger);
      if (seen.has(draft.key)) task.refuse('two tasks have one id');
      seen.add(draft.key);
      links.push(blocks(draft.key, key));
      relations.push({ key: draft.key, cursor: task });
      return draft;
    });
    const status = groupStatus(own);
    drafts.push(...own, {
      key,
      line: project.line,
      title: project.at('title').text('"title"'),
      description: descriptionOf(project, ledger),
      status,
    });
    const over = project.at('parent_project_id').value;
    if (typeof over === 'number' && over > 0) links.push(blocks(key, `project ${over}`));
    const name = JSON.stringify(project.at('title').text('"title"').slice(0, 60));
    if (project.at('is_archived').value === true) ledger.note('that a project is archived', name);
    if (listAt(project, 'buckets').length > 0) ledger.note('the buckets of a project', name);
  }
  for (const { key, cursor } of relations) relate(key, cursor, { links, ledger, seen });
  return { nodes: drafts.map((draft) => fitted(draft, ledger)), links: withoutDoubles(links), leftOut: ledger.list() };
}

function idOf(cursor: Cursor, what: string): number {
  const { value } = cursor.at('id');
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : cursor.refuse(`${what} has no "id"`);
}

/** Lists that are empty are null there. */
function listAt(cursor: Cursor, name: string): Cursor[] {
  const list = cursor.at(name);
  return list.isThere() ? list.list(`"${name}"`, TRANSFER_BOUNDS.links) : [];
}

function taskOf(task: Cursor, ledger: Ledger): Loose {
  const title = task.at('title').text('"title"');
  const place = `${JSON.stringify(title.slice(0, 60))} (line ${task.line})`;
  const { value: due } = task.at('due_date');
  const dueDate = due === undefined || due === null || due === NO_TIME ? null : timeIn(String(due));
  if (dueDate === null && due !== undefined && due !== null && due !== NO_TIME) task.refuse('"due_date" is no time');
  for (const [name, what] of Object.entries(LOST)) if (saysSomething(task.at(name).value)) ledger.note(what, place);
  const { value: priority } = task.at('priority');
  return {
    ...{ key: `task ${idOf(task, 'a task')}`, line: task.line, title, dueDate },
    description: descriptionOf(task, ledger),
    status: task.at('done').value === true ? 3 : 0,
    priority: typeof priority === 'number' ? priority : 0,
    tags: listAt(task, 'labels').map((label) => label.object('a label').at('title').text('a label')),
    assignee: listAt(task, 'assignees').map((user) => user.object('an assignee').at('username').text('an assignee')),
  };
}

function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== 0 && value !== false && value !== '' && value !== NO_TIME;
}

/** Marks after which a line ends. */
const ENDING = new Set(['br', '/p', '/li', '/div', '/tr', '/h1', '/h2', '/h3', '/h4', '/h5', '/h6']);
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  amp: '&',
  '#39': "'",
  '#34': '"',
};

function descriptionOf(cursor: Cursor, ledger: Ledger): string {
  const onAddress = () => {
    const name = JSON.stringify(cursor.at('title').text('"title"').slice(0, 60));
    ledger.note('the address of a link or picture in a description', `${name} (line ${cursor.line})`);
  };
  return plainText(cursor.at('description').text('"description"'), onAddress);
}

/** Descriptions are HTML. Its marks go, and lines stay lines. */
function plainText(html: string, onAddress: () => void): string {
  let [text, at] = ['', 0];
  for (let open = html.indexOf('<'); open >= 0; open = html.indexOf('<', at)) {
    const name = /^\/?[a-z][a-z0-9]{0,9}/i.exec(html.slice(open + 1, open + 13))?.[0].toLowerCase();
    const close = name === undefined ? open : html.indexOf('>', open);
    if (close < 0) break;
    // One that begins no mark is text.
    text += html.slice(at, name === undefined ? open + 1 : open);
    if (ENDING.has(name ?? '')) text += '\n';
    if (name === 'a' || name === 'img') onAddress();
    at = close + 1;
  }
  text += html.slice(at);
  const plain = text.replaceAll(/&(lt|gt|quot|apos|nbsp|amp|#39|#34);/g, (_, entity: string) => ENTITIES[entity] ?? '');
  return at === 0 && plain === html ? html : plain.trim();
}

interface Relating {
  readonly links: TransferLink[];
  readonly ledger: Ledger;
  readonly seen: ReadonlySet<string>;
}

function relate(key: string, task: Cursor, { links, ledger, seen }: Relating): void {
  const related = task.at('related_tasks');
  if (!related.isThere()) return;
  for (const kind of related.object('"related_tasks"').names()) {
    for (const each of listAt(related, kind)) {
      const other = `task ${idOf(each.object('a task'), 'a task')}`;
      const isFirst = BLOCKING.get(kind);
      if (!seen.has(other)) ledger.note('a relation to a task that is not in the file', `${key} → ${other}`);
      else if (isFirst !== undefined) links.push(isFirst ? blocks(other, key) : blocks(key, other));
      else if (BESIDE.has(kind)) links.push(relates(key, other));
      else ledger.note(`a relation of the kind ${JSON.stringify(kind.slice(0, 40))}`, `${key} → ${other}`);
    }
  }
}

/** Each relation stands at both of its ends, which is no loss. */
function withoutDoubles(links: readonly TransferLink[]): TransferLink[] {
  const kept = new Map<string, TransferLink>();
  for (const link of links) {
    const [one, other] = link.type === 0 ? [link.source, link.target] : [link.source, link.target].sort();
    const name = `${link.type}\n${one}\n${other}`;
    if (!kept.has(name)) kept.set(name, link);
  }
  return [...kept.values()];
}
