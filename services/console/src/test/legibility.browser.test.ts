// Each screen at 200 %, with letters of twice the size, and with the colours of the reader's system:
// nothing is cut off or covered, the focus shows, and states and statuses are told apart.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { beforeAll, expect } from 'vitest';
import { cutOff } from './support/accessibility.ts';
import { clientOf, type OpenConsole, openAs, test, userWithPassword } from './support/console-fixture.ts';
import { alikeOn, faultsOn, hiddenFocusOn } from './support/legibility.ts';
import { addSamplePlan } from './support/sample-plan.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;

/** Cards are elements only if they are large enough. */
const PICTURE = '.picture[aria-busy="false"]';

interface Screen {
  readonly name: string;
  readonly path: string;
  /** An element that is there when the screen is. */
  readonly shown: string;
  /** What leads from the address to the screen, with what it then shows. */
  readonly act?: (page: Page) => Promise<void>;
}

let email = '';
let newcomer = '';
let signedOut: readonly Screen[] = [];
let signedIn: readonly Screen[] = [];
beforeAll(async () => {
  newcomer = await userWithPassword(stack, 'newcomer');
  email = await userWithPassword(stack, 'people');
  const client = await clientOf(stack, email);
  const { blocked, open } = await addSamplePlan(client);
  await client.call('node:access', { id: blocked, email: newcomer, level: 3, branch: false });
  const { diff } = await client.call('node:publish', { id: blocked });
  const { diff: old } = await client.node.add({ title: 'An old idea about the shop window' });
  await client.node.trash({ id: String(old.nodes[0]?.after.id) });
  client.close();
  signedOut = [
    { name: 'sign-in', path: '/signin', shown: 'form' },
    { name: 'register', path: '/register', shown: 'h1' },
    { name: 'forgot', path: '/forgot', shown: 'h1' },
    { name: 'published', path: `/p/${diff.nodes[0]?.after.publicToken}`, shown: '.published-row' },
  ];
  signedIn = [
    { name: 'ready', path: '/ready', shown: '.row' },
    { name: 'ready, with a message', path: '/ready', shown: '.row', act: pressOnRow('4', '.notice') },
    { name: 'ready, with keys', path: '/ready', shown: '.row', act: press('?', '.key-list[open]') },
    { name: 'ready, with commands', path: '/ready', shown: '.row', act: press('Control+k', '.palette[open] .option') },
    { name: 'task', path: `/task/${open}`, shown: '.panel h2' },
    { name: 'task, Blocked', path: `/task/${blocked}`, shown: '.why' },
    { name: 'access', path: `/task/${blocked}`, shown: '.panel h2', act: openAccess },
    { name: 'graph', path: '/graph', shown: PICTURE },
    { name: 'graph, far away', path: '/graph', shown: PICTURE, act: click('[data-act="branches"]', '.tile') },
    { name: 'outline', path: '/outline', shown: '.outline-row' },
    { name: 'outline, with a title', path: '/outline', shown: '.outline-row', act: pressOnRow('F2', 'td input') },
    { name: 'board', path: '/board', shown: '.board-card' },
    { name: 'board, filtered', path: '/board?f=status:open tag:web', shown: '.chip' },
    { name: 'board, selected', path: '/board', shown: '.board-card', act: selectAll },
    { name: 'plan', path: '/plan', shown: '.plan-row' },
    { name: 'plan, with a question', path: '/plan', shown: '.plan-row', act: pressOnRow('+', '.ghost') },
    { name: 'history', path: '/history', shown: '.batch' },
    { name: 'trash', path: '/trash', shown: '.trash-row' },
    { name: 'trash, with a question', path: '/trash', shown: '.trash-row', act: click('.trash-row .plain', 'dialog') },
    { name: 'shared', path: '/shared', shown: '.shared-row' },
    { name: 'settings', path: '/settings', shown: '.people li' },
    { name: 'import', path: '/ready', shown: '.row', act: runCommand('import a file', 'dialog.files') },
    { name: 'export', path: '/ready', shown: '.row', act: runCommand('export', 'dialog.files') },
    { name: 'nothing here', path: '/ready/nowhere', shown: 'h1' },
  ];
});

function press(key: string, shown: string) {
  return async (page: Page) => {
    await page.keyboard.press(key);
    await page.locator(shown).first().waitFor();
  };
}

/** A key on the first task of the view. */
function pressOnRow(key: string, shown: string) {
  return async (page: Page) => {
    await page.locator('main [data-task][tabindex="0"], main a[data-task]').first().focus();
    await press(key, shown)(page);
  };
}

function click(selector: string, shown: string) {
  return async (page: Page) => {
    await page.locator(selector).first().click();
    await page.locator(shown).first().waitFor();
  };
}

function runCommand(words: string, shown: string) {
  return async (page: Page) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a command or a task' }).fill(words);
    await page.keyboard.press('Enter');
    await page.locator(shown).waitFor();
  };
}

async function selectAll(page: Page): Promise<void> {
  await page.locator('.board-card a').first().focus();
  await press('Control+a', '.selection-bar')(page);
}

async function openAccess(page: Page): Promise<void> {
  await page.locator('details.access > summary').click();
  await page.locator('.people li').first().waitFor();
  await page.locator('.access-content > .share > summary').click();
}

/** Looks at each screen: those of a reader, those without a session, and the first steps. */
async function visitAll(
  openConsole: OpenConsole,
  prepare: (page: Page) => Promise<void>,
  check: (page: Page) => Promise<string[]>,
): Promise<void> {
  const faults: Record<string, string[]> = {};
  const visit = async (page: Page, { name, path, shown, act }: Screen) => {
    await page.goto(path);
    await page.locator(shown).first().waitFor();
    await act?.(page);
    const found = await check(page);
    if (found.length > 0) faults[name] = found;
  };
  const outside = await openConsole(url);
  outside.expected.push(/ERR_ABORTED|WebSocket/);
  await prepare(outside.page);
  for (const screen of signedOut) await visit(outside.page, screen);
  const inside = await openAs(openConsole, { url, email, path: '/ready' });
  inside.expected.push(/ERR_ABORTED|WebSocket/);
  await prepare(inside.page);
  for (const screen of signedIn) await visit(inside.page, screen);
  expect(faults).toEqual({});
}

test('[CON6] at 200 % nothing is cut off or covered, and the focus shows', async ({ openConsole }) => {
  const zoom = async (page: Page) => {
    const session = await page.context().newCDPSession(page);
    // Half of the window, as at 200 %.
    const metrics = { width: 640, height: 450, deviceScaleFactor: 2, mobile: false };
    await session.send('Emulation.setDeviceMetricsOverride', metrics);
  };
  await visitAll(openConsole, zoom, async (page) => [
    ...(await cutOff(page)),
    ...(await faultsOn(page)),
    ...(await hiddenFocusOn(page)),
  ]);
});

test('[CON6] with letters of twice the size nothing is cut off or covered', async ({ openConsole }) => {
  const enlarge = async (page: Page) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
  };
  await visitAll(openConsole, enlarge, async (page) => [...(await cutOff(page)), ...(await faultsOn(page))]);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`[CON6] with the colours of a ${colorScheme} system, the focus shows, and states and statuses are told apart`, async ({
    openConsole,
  }) => {
    const force = (page: Page) => page.emulateMedia({ forcedColors: 'active', colorScheme });
    await visitAll(openConsole, force, async (page) => [...(await alikeOn(page)), ...(await hiddenFocusOn(page))]);
  });
}

test('[CON6] the picture has the colours of the system', async ({ openConsole }) => {
  const { page } = await openAs(openConsole, { url, email, path: '/graph' });
  await page.locator('.picture[aria-busy="false"]').waitFor();
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
  // All colours of the canvas, of which the links are lines.
  const coloursOf = () =>
    page.evaluate<string[]>(`(() => {
      const canvas = document.querySelector('.drawing canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const counts = new Map();
      for (let at = 0; at < data.length; at += 4) {
        const colour = data.slice(at, at + 4).join();
        counts.set(colour, (counts.get(colour) ?? 0) + 1);
      }
      return [...counts].sort((one, other) => other[1] - one[1]).slice(0, 2).map(([colour]) => colour);
    })()`);
  const [ground, text] = ['0,0,0,255', '255,255,255,255'];
  await expect.poll(coloursOf).toEqual([ground, text]);
});
