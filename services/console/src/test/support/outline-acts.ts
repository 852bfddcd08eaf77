// The acts of a reader in the outline, by keys and pointer, each with the command that the reference
// model runs for it. An act returns null if it has nothing to act on.
import type { ModelUser } from '@taskgraph/reference-model/state';
import type { Page } from '@taskgraph/testkit/stack/browser';
import { expect } from 'vitest';
import type { ModelWorld, ShownPlan } from './model-world.ts';

const [IN_PROGRESS, BLOCKED, COMPLETED] = [1, 2, 3];
/** With as many tasks, no act adds one. */
const MOST_TASKS = 16;

/** The window of a reader. */
export interface ReaderWindow {
  readonly user: ModelUser;
  readonly page: Page;
}

export interface ActContext extends ReaderWindow {
  readonly world: ModelWorld;
  /** The task that all others were added to, which stays. */
  readonly goal: string;
  readonly rows: readonly ShownRow[];
  /** A random whole number below another one. */
  readonly random: (below: number) => number;
  /** A title that no task has had. */
  readonly newTitle: () => string;
}

interface ShownRow {
  readonly key: string;
  readonly title: string;
  readonly status: number;
  readonly level: number;
  readonly isReference: boolean;
  /** The title of the task above it; null for a root. */
  readonly parent: string | null;
}

/** What the act did, in words; null if it was not possible. */
type Act = (context: ActContext) => Promise<string | null>;

/** Opens all rows of the outline, and reads them. */
export async function rowsOn(page: Page): Promise<readonly ShownRow[]> {
  const focusClosed = `(() => {
    const row = document.querySelector('.outline-row[aria-expanded="false"]');
    row?.focus();
    return row !== null;
  })()`;
  while (await page.evaluate<boolean>(focusClosed)) await page.keyboard.press('ArrowRight');
  return page.evaluate<ShownRow[]>(`(() => {
    const rows = [...document.querySelectorAll('.outline-row[data-task]')];
    const titleOf = (row) => row.querySelector('.outline-title').textContent;
    const titles = new Map(rows.map((row) => [row.dataset.task, titleOf(row)]));
    return rows.map((row) => ({
      key: row.dataset.key,
      title: titleOf(row),
      status: Number(row.dataset.status),
      level: Number(row.ariaLevel),
      isReference: row.querySelector('.outline-title ~ .quiet') !== null,
      parent: row.ariaLevel === '1' ? null : titles.get(row.dataset.key.split('/')[0]) ?? 'nothing',
    }));
  })()`);
}

export function planIn(rows: readonly ShownRow[]): ShownPlan {
  return {
    tasks: rows
      .filter(({ isReference }) => !isReference)
      .map(({ title, status }) => `${title}: ${status}`)
      .sort(),
    links: rows
      .filter(({ parent }) => parent !== null)
      .map(({ title, parent }) => `${title} → ${parent}`)
      .sort(),
  };
}

const full = ({ rows }: ActContext) => rows.filter(({ isReference }) => !isReference);
const pick = <T>({ random }: ActContext, list: readonly T[]): T | null => list[random(list.length)] ?? null;

async function pressOn(page: Page, { key }: ShownRow, ...keys: string[]): Promise<void> {
  await page.locator(`.outline-row[data-key="${key}"]`).focus();
  for (const each of keys) await page.keyboard.press(each);
}

function addBy(key: 'c' | 'Shift+C'): Act {
  return async (context) => {
    const { page, user, world, newTitle } = context;
    const row = pick(context, full(context));
    if (row === null || full(context).length >= MOST_TASKS) return null;
    const title = newTitle();
    const parent = key === 'c' ? row.parent : row.title;
    await pressOn(page, row, key);
    await page.getByLabel('Title of the new task').fill(title);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    world.act(user, 'node:add', parent === null ? { title } : { title, target: world.idOf(parent) });
    return `adds ${title} below ${parent}`;
  };
}

const rename: Act = async (context) => {
  const { page, user, world, goal, newTitle } = context;
  const row = pick(
    context,
    full(context).filter(({ title }) => title !== goal),
  );
  if (row === null) return null;
  const title = newTitle();
  await pressOn(page, row, 'F2');
  await page.getByLabel(`Title of “${row.title}”`).fill(title);
  await page.keyboard.press('Enter');
  world.act(user, 'node:update', { id: world.idOf(row.title), title });
  return `renames ${row.title} to ${title}`;
};

function setStatus(key: 's' | 'd', status: number): Act {
  return async (context) => {
    const { page, user, world } = context;
    const row = pick(
      context,
      full(context).filter((each) => each.status !== status),
    );
    if (row === null) return null;
    await pressOn(page, row, key);
    // A Blocked task stays so, and nothing is sent.
    if (row.status !== BLOCKED) world.act(user, 'node:update', { id: world.idOf(row.title), status });
    return `sets ${row.title} to ${status}`;
  };
}

const trash: Act = async (context) => {
  const { page, user, world, goal } = context;
  const row = pick(
    context,
    full(context).filter(({ title }) => title !== goal),
  );
  if (row === null) return null;
  await pressOn(page, row, 'Delete');
  world.act(user, 'node:trash', { id: world.idOf(row.title) });
  return `trashes ${row.title}`;
};

const restore: Act = async (context) => {
  const { page, user, world } = context;
  const title = pick(context, world.trashedFor(user));
  if (title === null) return null;
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('button', { name: `Restore: ${title}` }).click();
  await page.locator('.trash-row', { hasText: title }).waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.getByRole('treegrid').waitFor();
  world.act(user, 'node:restore', { id: world.idOf(title) });
  return `restores ${title}`;
};

/** As `Alt` with an arrow key says: below the row before it on its level, or beside the row above it. */
function moveTo(side: 'in' | 'out'): Act {
  return async (context) => {
    const { page, user, world, rows, goal } = context;
    const targetOf = (row: ShownRow): ShownRow | null | undefined => {
      const place = rows.indexOf(row);
      const before = rows.slice(0, place).findLast(({ level }) => level <= row.level);
      if (side === 'in') return before?.level === row.level && !before.isReference ? before : undefined;
      const above = rows.find(({ title, isReference }) => title === row.parent && !isReference);
      if (above === undefined) return undefined;
      return rows.find(({ title, isReference }) => title === above.parent && !isReference) ?? null;
    };
    const row = pick(
      context,
      rows.filter((each) => each.title !== goal && targetOf(each) !== undefined),
    );
    if (row === null) return null;
    const target = targetOf(row)?.title ?? null;
    await pressOn(page, row, side === 'in' ? 'Alt+ArrowRight' : 'Alt+ArrowLeft');
    const from = row.parent === null ? [] : world.linksBetween(user, row.title, row.parent);
    const operations: object[] = from.map((id) => ({ event: 'link:trash', payload: { id } }));
    if (target !== null) {
      operations.push({ event: 'link:add', payload: { source: world.idOf(row.title), target: world.idOf(target) } });
    }
    world.act(user, 'batch:run', { operations });
    return `moves ${row.title} from ${row.parent} to ${target}`;
  };
}

const link: Act = async (context) => {
  const { page, user, world } = context;
  const [waiting, first] = [pick(context, full(context)), pick(context, full(context))];
  if (waiting === null || first === null || waiting === first) return null;
  const panel = page.getByRole('complementary', { name: 'Task' });
  await pressOn(page, waiting, 'Enter');
  await panel.getByRole('button', { name: 'Add a task before' }).press('Enter');
  await panel.getByRole('combobox').fill(first.title);
  await panel.getByRole('option').first().filter({ hasText: first.title }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await panel.getByRole('combobox').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.waitForURL('**/outline');
  world.act(user, 'link:add', { source: world.idOf(first.title), target: world.idOf(waiting.title) });
  return `makes ${waiting.title} wait for ${first.title}`;
};

const unlink: Act = async (context) => {
  const { page, user, world } = context;
  const row = pick(
    context,
    context.rows.filter(({ parent }) => parent !== null),
  );
  const above = full(context).find(({ title }) => title === row?.parent);
  if (row === null || above === undefined) return null;
  const [id] = world.linksBetween(user, row.title, above.title);
  await pressOn(page, above, 'Enter');
  const button = page.getByRole('button', { name: `Remove the link: ${row.title}` });
  await button.press('Enter');
  await button.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.waitForURL('**/outline');
  world.act(user, 'link:trash', { id });
  return `removes the link from ${row.title} to ${above.title}`;
};

function setCollapsed(key: '.' | ',', collapsed: boolean): Act {
  return async (context) => {
    const { page, user, world, rows } = context;
    const hasBranch = ({ title }: ShownRow) => rows.some(({ parent }) => parent === title);
    const row = pick(context, full(context).filter(hasBranch));
    if (row === null) return null;
    await pressOn(page, row, key);
    world.act(user, 'node:update', { id: world.idOf(row.title), collapsed });
    return `${collapsed ? 'collapses' : 'expands'} ${row.title}`;
  };
}

const undo: Act = async ({ page, user, world }) => {
  await page.keyboard.press('Control+z');
  world.undo(user);
  return 'undoes';
};

const redo: Act = async ({ page, user, world }) => {
  await page.keyboard.press('Control+Shift+z');
  world.redo(user);
  return 'redoes';
};

/** The frequent ones are there several times. */
const ACTS: readonly Act[] = [
  addBy('c'),
  addBy('Shift+C'),
  addBy('Shift+C'),
  rename,
  setStatus('s', IN_PROGRESS),
  setStatus('d', COMPLETED),
  setStatus('d', COMPLETED),
  trash,
  restore,
  moveTo('in'),
  moveTo('out'),
  link,
  link,
  unlink,
  setCollapsed('.', true),
  setCollapsed(',', false),
  undo,
  undo,
  redo,
];

/** Counts the messages of the page, also those that go away at once. */
const WATCH = `(() => {
  globalThis.taskgraphMessages = 0;
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) globalThis.taskgraphMessages += addedNodes.length;
  }).observe(document.querySelector('.notices'), { childList: true });
})()`;
const messagesOn = (page: Page) => page.evaluate<number>('taskgraphMessages');

export function watchMessages(page: Page): Promise<void> {
  return page.evaluate<void>(WATCH);
}

/** Does a random act that is possible, waits for its message, and returns what it did. */
export async function actAtRandom(context: ActContext): Promise<string> {
  const before = await messagesOn(context.page);
  for (;;) {
    const act = ACTS[context.random(ACTS.length)] as Act;
    const words = await act(context);
    if (words === null) continue;
    await expect.poll(() => messagesOn(context.page), { message: words }).toBeGreaterThan(before);
    return `${context.user.username} ${words}`;
  }
}
