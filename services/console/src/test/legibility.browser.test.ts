// Each screen at 200 %, in a narrow window, with letters of twice the size, and with the colours of the
// reader's system: nothing is cut off or covered, the focus shows, and states are told apart.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { beforeAll, describe, expect } from 'vitest';
import { clientOf, openAs, test, userWithPassword } from './support/console-fixture.ts';
import { type DisplayMode, expectLegible, faultsOn, hiddenFocusOn, lostInColoursOn } from './support/legibility.ts';
import { addSamplePlan } from './support/sample-plan.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;

const WINDOW = { width: 1280, height: 720 };
/** The same window at 200 %. */
const ZOOMED = { width: 640, height: 360 };
/** 1280 pixels at 400 %, as in WCAG 1.4.10. */
const NARROW = { width: 320, height: 480 };
/** CSS pixels of the browser's setting. */
const [USUAL_LETTERS, LARGE_LETTERS] = [16, 32];

/** The tab walks last, since a field that loses the focus may close. */
async function displayModesOf(page: Page): Promise<readonly DisplayMode[]> {
  const session = await page.context().newCDPSession(page);
  const setLetters = (standard: number) => session.send('Page.setFontSizes', { fontSizes: { standard } });
  const system = (colorScheme: 'light' | 'dark') => page.emulateMedia({ forcedColors: 'active', colorScheme });
  return [
    { name: 'at 200 %', prepare: () => page.setViewportSize(ZOOMED), faults: faultsOn },
    { name: 'in 320 pixels', prepare: () => page.setViewportSize(NARROW), faults: faultsOn },
    {
      name: 'with large letters',
      async prepare() {
        await page.setViewportSize(WINDOW);
        await setLetters(LARGE_LETTERS);
      },
      faults: faultsOn,
    },
    {
      name: 'in the colours of a dark system',
      async prepare() {
        await setLetters(USUAL_LETTERS);
        await system('dark');
      },
      faults: lostInColoursOn,
    },
    { name: 'in the colours of a light system', prepare: () => system('light'), faults: lostInColoursOn },
    { name: 'by Tab at 200 %', prepare: () => page.setViewportSize(ZOOMED), faults: hiddenFocusOn },
    {
      name: 'as usual',
      async prepare() {
        await page.setViewportSize(WINDOW);
        await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' });
      },
      faults: async () => [],
    },
  ];
}

interface Screen {
  readonly name: string;
  readonly path: string;
  /** An element that is there when the screen is. */
  readonly shown: string;
  /** What leads from the address to the screen, with what it then shows. */
  readonly act?: (page: Page) => Promise<void>;
}

async function expectAllLegible(page: Page, screens: readonly Screen[]): Promise<void> {
  const modes = await displayModesOf(page);
  for (const { name, path, shown, act } of screens) {
    await page.goto(path);
    await page.locator(shown).first().waitFor();
    await act?.(page);
    await expectLegible(page, name, modes);
  }
}

let [email, publicToken] = ['', ''];
let [blocked, open] = ['', ''];
beforeAll(async () => {
  const newcomer = await userWithPassword(stack, 'newcomer');
  email = await userWithPassword(stack, 'people');
  const client = await clientOf(stack, email);
  ({ blocked, open } = await addSamplePlan(client));
  await client.call('node:access', { id: blocked, email: newcomer, level: 3, branch: false });
  const { diff } = await client.call('node:publish', { id: blocked });
  publicToken = String(diff.nodes[0]?.after.publicToken);
  const { diff: old } = await client.node.add({ title: 'An old idea about the shop window' });
  await client.node.trash({ id: String(old.nodes[0]?.after.id) });
  client.close();
});

const press = (key: string, shown: string) => async (page: Page) => {
  await page.keyboard.press(key);
  await page.locator(shown).first().waitFor();
};

/** A key on the first task of the view. */
const pressOnTask = (key: string, shown: string) => async (page: Page) => {
  await page.locator('main [data-task][tabindex="0"], main a[data-task]').first().focus();
  await press(key, shown)(page);
};

const click = (selector: string, shown: string) => async (page: Page) => {
  await page.locator(selector).first().click();
  await page.locator(shown).first().waitFor();
};

const runCommand = (words: string, shown: string) => async (page: Page) => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a command or a task' }).fill(words);
  await page.keyboard.press('Enter');
  await page.locator(shown).waitFor();
};

/** A reload ends the connection and the requests of the page before. */
const INTERRUPTED = new RegExp(
  [
    'net::ERR_ABORTED$',
    'WebSocket opening handshake was canceled',
    'WebSocket is closed before the connection is established',
    'WebSocket is closed due to suspension',
  ].join('|'),
);

describe('[CON41] enlarged, and in the colours of the system', () => {
  test('[CON41] pages without a session', async ({ openConsole }) => {
    const { page, expected } = await openConsole(url);
    expected.push(INTERRUPTED);
    await expectAllLegible(page, [
      { name: 'sign-in', path: '/signin', shown: 'form' },
      { name: 'register', path: '/register', shown: 'h1' },
      { name: 'forgot', path: '/forgot', shown: 'h1' },
      { name: 'published', path: `/p/${publicToken}`, shown: '.published-row' },
    ]);
  });

  test('[CON41] views of tasks', async ({ openConsole }) => {
    const { page, expected } = await openAs(openConsole, { url, email, path: '/ready' });
    expected.push(INTERRUPTED);
    await expectAllLegible(page, [
      { name: 'ready', path: '/ready', shown: '.row' },
      { name: 'ready, with a message', path: '/ready', shown: '.row', act: press('Control+z', '.notice') },
      { name: 'graph', path: '/graph', shown: '.picture[data-elements] .card' },
      { name: 'graph, far away', path: '/graph', shown: '.card', act: click('[data-act="branches"]', '.tile') },
      { name: 'outline', path: '/outline', shown: '.outline-row' },
      { name: 'outline, with a title', path: '/outline', shown: '.outline-row', act: pressOnTask('F2', 'td input') },
      { name: 'board', path: '/board', shown: '.board-card' },
      { name: 'board, filtered', path: '/board?f=status:open tag:web', shown: '.chip' },
      {
        name: 'board, selected',
        path: '/board',
        shown: '.board-card',
        act: pressOnTask('Control+a', '.selection-bar'),
      },
      { name: 'plan', path: '/plan', shown: '.plan-row' },
      { name: 'plan, with a question', path: '/plan', shown: '.plan-row', act: pressOnTask('+', '.ghost') },
    ]);
  });

  test('[CON41] the panel, dialogs and all other views', async ({ openConsole }) => {
    const { page, expected } = await openAs(openConsole, { url, email, path: '/ready' });
    expected.push(INTERRUPTED);
    const openAccess = async (opened: Page) => {
      await opened.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Access' }).click();
      await opened.locator('.people li').first().waitFor();
      await opened.locator('.access-content > .share > summary').click();
    };
    await expectAllLegible(page, [
      { name: 'task', path: `/task/${open}`, shown: '.panel h2' },
      { name: 'task, Blocked', path: `/task/${blocked}`, shown: '.why' },
      { name: 'task, with access', path: `/task/${blocked}`, shown: '.panel h2', act: openAccess },
      { name: 'keys', path: '/ready', shown: '.row', act: press('?', '.key-list[open]') },
      { name: 'commands', path: '/ready', shown: '.row', act: press('Control+k', '.palette[open] .option') },
      { name: 'import', path: '/ready', shown: '.row', act: runCommand('import a file', 'dialog.files') },
      { name: 'export', path: '/ready', shown: '.row', act: runCommand('export', 'dialog.files') },
      { name: 'history', path: '/history', shown: '.batch' },
      { name: 'trash', path: '/trash', shown: '.trash-row' },
      {
        name: 'trash, with a question',
        path: '/trash',
        shown: '.trash-row',
        act: click('.trash-row .plain', 'dialog'),
      },
      { name: 'shared', path: '/shared', shown: '.shared-row' },
      { name: 'settings', path: '/settings', shown: '.people li' },
      { name: 'no such page', path: '/ready/nowhere', shown: 'h1' },
    ]);
  });

  test('[CON41] the picture has the colours of the system, as soon as the reader chooses them', async ({
    openConsole,
  }) => {
    const { page } = await openAs(openConsole, { url, email, path: '/graph' });
    await page.locator('.card').first().waitFor();
    // The pure colours of what the view shows of the canvas; those of the edges of lines are mixed.
    const drawn = () =>
      page.evaluate<string[]>(`(() => {
        const canvas = document.querySelector('.drawing canvas');
        const [around, view] = [canvas.getBoundingClientRect(), document.querySelector('.picture').getBoundingClientRect()];
        const copy = new OffscreenCanvas(view.width, view.height).getContext('2d', { willReadFrequently: true });
        copy.drawImage(canvas, around.left - view.left, around.top - view.top, around.width, around.height);
        const { data } = copy.getImageData(0, 0, view.width, view.height);
        const colours = new Set();
        for (let at = 0; at < data.length; at += 4) colours.add(data[at] + ',' + data[at + 1] + ',' + data[at + 2]);
        return [...colours];
      })()`);
    const coloursOf = (names: readonly string[]) =>
      page.evaluate<string[]>(`${JSON.stringify(names)}.map((name) => {
        const probe = document.querySelector('.picture').appendChild(document.createElement('i'));
        probe.style.color = name;
        const { color } = getComputedStyle(probe);
        probe.remove();
        return color.match(/[0-9]+/g).slice(0, 3).join();
      })`);
    const OWN = ['var(--ground)', 'var(--text)'];
    await page.emulateMedia({ colorScheme: 'dark' });
    const own = await coloursOf(OWN);
    await expect.poll(drawn).toEqual(expect.arrayContaining(own));
    await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' });
    const system = await coloursOf(['Canvas', 'CanvasText']);
    expect(system).toEqual(['0,0,0', '255,255,255']);
    await expect.poll(drawn).toEqual(expect.arrayContaining(system));
    expect((await drawn()).filter((colour) => own.includes(colour))).toEqual([]);
  });
});
