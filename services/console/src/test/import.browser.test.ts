// Importing a file: drop, look, import, undo; what is refused, and its screens.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, test, untilLive } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

const PLAN = [
  'id,title,status,waits for,colour',
  '1,Write the texts,Completed,,red',
  '2,Draw the pictures,,,',
  '3,Build the pages,,1;2,',
  '4,Go live,,3,',
].join('\n');

/** A table whose ids do not number its rows. */
const KEYED = [
  'id,title,status,waits for',
  'T-1,Write the texts,Completed,',
  'T-2,Draw the pictures,,',
  'T-3,Build the pages,,T-1;T-2',
  'T-4,Go live,,T-3',
].join('\n');

/** Drops a file on the page, as the browser reports it. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(
    `(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
      for (const kind of ['dragover', 'drop'])
        document.querySelector('main').dispatchEvent(
          new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer }));
    })()`,
  );
}

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Import a file' });
const button = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true });

/** A table of more tasks than two batches hold. */
const manyTasks = () => ['title', ...Array.from({ length: 1_100 }, (_, index) => `Task ${index}`)].join('\n');

/** Holds each batch of the page before the service gets it. */
async function gateBatches(page: Page) {
  let [count, isOpen] = [0, false];
  let waiting: ((change: (message: string) => string) => void)[] = [];
  await page.routeWebSocket(/ext-socket/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      if (!String(message).includes('"batch:run"')) return server.send(message);
      count++;
      if (isOpen) server.send(message);
      else waiting.push((change) => server.send(change(String(message))));
    });
  });
  // Only sockets of a new page are routed.
  await page.reload();
  await untilLive(page);
  const release = (change: (message: string) => string = (message) => message) => {
    for (const send of waiting) send(change);
    waiting = [];
  };
  return {
    arrived: (number: number) => expect.poll(() => count).toBe(number),
    release,
    releaseAll() {
      isOpen = true;
      release();
    },
  };
}

/** Until the page has removed the dialog, after the browser has closed it. */
const closed = (page: Page) => page.locator('dialog').waitFor({ state: 'detached' });

/** The titles of the tasks in the graph, and its links by the titles of their ends. */
async function graphOf({ client }: ConsoleUser) {
  const titles = new Map<string, string>();
  const pairs: (readonly [string, string])[] = [];
  for await (const { nodes, links } of client.graph.pages()) {
    for (const { id, title } of nodes) titles.set(id, title);
    for (const { source, target } of links) pairs.push([source, target]);
  }
  return {
    tasks: [...titles.values()].sort(),
    links: pairs.map(([source, target]) => `${titles.get(source)} → ${titles.get(target)}`).sort(),
  };
}

const IMPORTED = {
  tasks: ['Build the pages', 'Draw the pictures', 'Go live', 'Write the texts'],
  links: ['Build the pages → Go live', 'Draw the pictures → Build the pages', 'Write the texts → Build the pages'],
};

describe('[CON28] a file', () => {
  test('[CON28 IO1 IO4] is dropped, looked at, imported and undone', async ({ openConsole, newUser }) => {
    const user = await newUser('importer');
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    await drop(page, 'plan.csv', PLAN);
    await dialog(page).getByText('plan.csv has 4 tasks and 3 links.').waitFor();
    expect(await dialog(page).getByRole('row').allInnerTexts()).toEqual([
      expect.stringMatching(/^Title\s+Status\s+Waits for$/),
      expect.stringMatching(/^Write the texts\s+✓ Completed\s*$/),
      expect.stringMatching(/^Draw the pictures\s+○ Available\s*$/),
      expect.stringMatching(/^Build the pages\s+⊘ Blocked\s+Write the texts and Draw the pictures$/),
      expect.stringMatching(/^Go live\s+⊘ Blocked\s+Build the pages$/),
    ]);
    await dialog(page).getByText('the column "colour": line 2').waitFor();
    expect(await graphOf(user)).toEqual({ tasks: [], links: [] });
    await button(page, 'Import').click();
    await dialog(page).getByText('Imported plan.csv: 4 tasks and 3 links.').waitFor();
    expect(await graphOf(user)).toEqual(IMPORTED);
    await button(page, 'Undo import').click();
    await dialog(page).getByText('Undid the import of plan.csv.').waitFor();
    expect(await graphOf(user)).toEqual({ tasks: [], links: [] });
    // The same file again restores the same tasks, and its message takes them back.
    await button(page, 'Import').click();
    await button(page, 'Undo import').waitFor();
    await button(page, 'Close').click();
    await page.locator('.board-card', { hasText: 'Go live' }).waitFor();
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo import' }).click();
    await dialog(page).getByText('Undid the import of plan.csv.').waitFor();
    expect(await graphOf(user)).toEqual({ tasks: [], links: [] });
  });

  test('[CON28 IO12] that has changed updates its earlier import, and the update is undone', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('updater');
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    await drop(page, 'plan.csv', KEYED);
    await button(page, 'Update an earlier import…').click();
    await dialog(page).getByText('You have not imported a file of this name and format yet').waitFor();
    await button(page, 'Cancel').click();
    await closed(page);
    await drop(page, 'plan.csv', KEYED);
    await button(page, 'Import').click();
    await dialog(page).getByText('Imported plan.csv: 4 tasks and 3 links.').waitFor();
    await button(page, 'Close').click();
    await closed(page);
    const later = KEYED.replace('Draw the pictures', 'Draw all pictures')
      .replace('T-4,Go live,,T-3', 'T-5,Celebrate,,T-3')
      .replace('Write the texts', 'Write all texts');
    // A person changes a title that the file changes too.
    const texts = (await user.client.graph.pages().next()).value?.nodes.find(
      ({ title }) => title === 'Write the texts',
    );
    await user.client.node.update({ id: String(texts?.id), title: 'My texts' });
    await drop(page, 'plan.csv', later);
    await button(page, 'Update an earlier import…').click();
    await dialog(page).getByText('Nothing has changed yet.').waitFor();
    await dialog(page)
      .getByText(/^New tasks: .*Celebrate/)
      .waitFor();
    await dialog(page)
      .getByText(/^Changed in the file and by somebody, not overwritten: .*Write all texts.*title/)
      .waitFor();
    await dialog(page)
      .getByText(/^Tasks that are gone from the file and stay: .*Go live/)
      .waitFor();
    await dialog(page).getByLabel('Move tasks and links that are gone from the file to the trash').click();
    await dialog(page)
      .getByText(/^Tasks to the trash: .*Go live/)
      .waitFor();
    expect((await graphOf(user)).tasks).toContain('Go live');
    await button(page, 'Update').click();
    await dialog(page).getByText('Updated from plan.csv:').waitFor();
    expect((await graphOf(user)).tasks).toEqual(['Build the pages', 'Celebrate', 'Draw all pictures', 'My texts']);
    await button(page, 'Undo update').click();
    await dialog(page).getByText('Undid the update from plan.csv.').waitFor();
    expect((await graphOf(user)).tasks).toEqual(['Build the pages', 'Draw the pictures', 'Go live', 'My texts']);
  });

  test('[CON28 CON3 IO12] is not imported once another user has signed in, whose source would get its rows', async ({
    openConsole,
    newUser,
  }) => {
    const [user, other] = [await newUser('first'), await newUser('second')];
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    const { page: otherPage } = await openAs(openConsole, { url, email: other.email });
    const cookies = await otherPage.context().cookies();
    // The session changes after the connection of the import was opened.
    await page.route('**/api/import', async (route) => {
      await page.context().addCookies(cookies);
      await route.continue();
    });
    await drop(page, 'plan.csv', KEYED);
    await button(page, 'Import').click();
    await dialog(page)
      .getByRole('alert')
      .getByText(/The browser is signed in as another user/)
      .waitFor();
    for (const each of [user, other]) expect(await graphOf(each)).toEqual({ tasks: [], links: [] });
  });

  test('[CON28 IO1] goes below a task, once, or once more as a copy', async ({ openConsole, newUser }) => {
    const user = await newUser('parent');
    const shop = await user.add('Open the shop');
    await user.add('Something else');
    const { page } = await openAs(openConsole, { url, email: user.email, path: `/task/${shop}` });
    await page.getByRole('heading', { level: 2, name: 'Open the shop' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a command or a task' }).fill('import a file');
    await page.keyboard.press('Enter');
    const choose = () =>
      dialog(page)
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'two.csv', mimeType: 'text/csv', buffer: Buffer.from('title\nOne\nTwo\n') });
    await choose();
    await button(page, 'Below another task…').click();
    await dialog(page).getByRole('combobox', { name: 'A task to find' }).fill('something');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('“Something else” waits for them.').waitFor();
    await button(page, 'Below “Open the shop”').click();
    await dialog(page).getByText('“Open the shop” waits for them.').waitFor();
    await button(page, 'Import').click();
    await dialog(page).getByText('Imported two.csv: 2 tasks and 0 links.').waitFor();
    const links = ['One → Open the shop', 'Two → Open the shop'];
    expect((await graphOf(user)).links).toEqual(links);
    await button(page, 'Close').click();
    await page.getByRole('button', { name: 'Import…' }).click();
    await choose();
    await button(page, 'Below “Open the shop”').click();
    await button(page, 'Import').click();
    await dialog(page)
      .getByText(/You have already imported/)
      .waitFor();
    expect((await graphOf(user)).links).toEqual(links);
    await button(page, 'Import again as a copy').click();
    await dialog(page).getByText('Imported two.csv: 2 tasks and 0 links.').waitFor();
    expect((await graphOf(user)).links).toEqual([...links, ...links].sort());
    // Only the copy goes.
    await button(page, 'Undo import').click();
    await dialog(page).getByText('Undid the import of two.csv.').waitFor();
    expect((await graphOf(user)).links).toEqual(links);
  });

  test('[CON28 IO2] says why it cannot be imported, and makes nothing', async ({ openConsole, newUser }) => {
    const user = await newUser('refused');
    const { page } = await openAs(openConsole, { url, email: user.email });
    const cases = [
      [
        'around.csv',
        'id,title,waits for\na,Dig,c\nb,Pour,a\nc,Paint,b',
        'Line 2: tasks wait for each other in a cycle: "Dig" (line 2) waits for "Paint" (line 4) waits for "Pour" (line 3) waits for "Dig" (line 2).',
      ],
      ['bad.csv', 'title,due\n"Dig,tomorrow', 'Line 2: a quote is not closed, or something follows it.'],
      ['notes.txt', 'Dear diary', 'The file seems to be a text that begins with "Dear diary".'],
      ['empty.json', '', 'The file is empty.'],
      ['archive.zip', 'PK\u0003\u0004', 'The file is an archive.'],
    ] as const;
    for (const [name, text, reason] of cases) {
      await drop(page, name, text);
      await dialog(page)
        .getByRole('alert')
        .getByText(`Could not import ${name}. Nothing was added. ${reason}`)
        .waitFor();
      await page.keyboard.press('Escape');
      await closed(page);
    }
    expect(await graphOf(user)).toEqual({ tasks: [], links: [] });
    // Another format reads it.
    await drop(page, 'notes.txt', 'title;due\nDig;2030-01-31\n');
    await dialog(page)
      .getByText(/perhaps a table/)
      .waitFor();
    await dialog(page).getByLabel('Read as').selectOption('CSV table');
    await dialog(page).getByText('notes.txt has 1 task and 0 links.').waitFor();
  });

  test('[CON28 IO1 IO10] of a table is read with other fields and dates, by keys alone', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('columns');
    const { page } = await openAs(openConsole, { url, email: user.email });
    const table = 'title,Who does it,due,\nDig,Ann,1/2/2030,x\nPour,Bob,3/4/2030,\n';
    const column = (name: string) => dialog(page).getByLabel(name, { exact: true });
    const row = (text: RegExp) => dialog(page).getByRole('row', { name: text });
    await drop(page, 'columns.csv', table);
    await dialog(page).getByText('Columns: 2 of 4 are read').waitFor();
    await dialog(page).getByText('A column without a name').waitFor();
    await dialog(page).getByText('the column "Who does it": line 2').waitFor({ state: 'attached' });
    await row(/^Dig ?due 2 Jan 2030/).waitFor();
    expect(await column('due').inputValue()).toBe('due');
    // The page keeps the focus on the choice.
    await column('Who does it').focus();
    await page.keyboard.press('a');
    await expect.poll(() => column('Who does it').inputValue()).not.toBe('none');
    await column('Who does it').selectOption('Assigned to');
    await dialog(page).getByText('Columns: 3 of 4 are read').waitFor();
    await row(/^Dig ?due 2 Jan 2030 ?Ann/).waitFor();
    expect(await page.evaluate('document.activeElement?.labels?.[0]?.textContent')).toBe('Who does it');
    expect(await dialog(page).getByText('the column "Who does it"').count()).toBe(0);
    await dialog(page).getByLabel('Dates such as 1/2/2030').selectOption('The day is first');
    await row(/^Dig ?due 1 Feb 2030 ?Ann/).waitFor();
    await button(page, 'Import').click();
    await dialog(page).getByText('Imported columns.csv: 2 tasks and 0 links.').waitFor();
    const found = (await user.client.node.find({ text: 'Dig' })).nodes[0];
    const [dig] = (await user.client.node.get({ ids: [String(found?.id)] })).nodes;
    expect(dig).toMatchObject({ assignee: ['Ann'], dueDate: '2030-02-01T23:59:59.000Z' });
    // An import with other fields is another one; with the same fields it is the same.
    await button(page, 'Undo import').click();
    await dialog(page).getByText('Undid the import of columns.csv.').waitFor();
    expect(await column('Who does it').inputValue()).toBe('assignee');
    await button(page, 'Undo the choice of fields').click();
    await dialog(page).getByText('Columns: 2 of 4 are read').waitFor();
    expect(await graphOf(user)).toEqual({ tasks: [], links: [] });
  });

  test('[CON28 IO10] of a table that is refused is read again without the choice', async ({ openConsole, newUser }) => {
    const user = await newUser('strict');
    const { page } = await openAs(openConsole, { url, email: user.email });
    await drop(page, 'soon.csv', 'title,due\nDig,soon\n');
    await button(page, 'Import').waitFor();
    await dialog(page).getByLabel('Refuse the table if a cell cannot be read').check();
    await dialog(page).getByRole('alert').getByText('Line 2:').waitFor();
    await dialog(page).getByLabel('Refuse the table if a cell cannot be read').uncheck();
    await button(page, 'Import').waitFor();
    await dialog(page).getByLabel('title', { exact: true }).selectOption('Not read');
    await dialog(page).getByRole('alert').getByText('there is no column title').waitFor();
    await button(page, 'Undo the choice of fields').click();
    await button(page, 'Import').click();
    await dialog(page).getByText('Imported soon.csv: 1 task and 0 links.').waitFor();
  });

  test('[CON28 IO4] that the service refuses midway is undone, or imported after all', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('midway');
    const { page } = await openAs(openConsole, { url, email: user.email });
    const batches = await gateBatches(page);
    await drop(page, 'many.csv', manyTasks());
    await button(page, 'Import').click();
    await batches.arrived(1);
    batches.release();
    await batches.arrived(2);
    batches.release((message) => message.replace('"title":"Task 503"', '"title":"Task 503","nothing":1'));
    const alert = dialog(page).getByRole('alert');
    await alert.getByText('Imported only a part of many.csv: 1 of 3 parts.').waitFor();
    await alert.getByText('(bad_request.unknown_field, at “Task 503”)').waitFor();
    expect((await graphOf(user)).tasks).toHaveLength(500);
    batches.releaseAll();
    await button(page, 'Undo import').click();
    await dialog(page).getByText('Undid the import of many.csv.').waitFor();
    expect((await graphOf(user)).tasks).toEqual([]);
    await button(page, 'Import').click();
    await dialog(page).getByText('Imported many.csv: 1,100 tasks and 0 links.').waitFor();
    expect((await graphOf(user)).tasks).toHaveLength(1_100);
  });

  test('[CON28 IO4] is not undone over a later change, not even in part', async ({ openConsole, newUser }) => {
    const user = await newUser('changed');
    const { page } = await openAs(openConsole, { url, email: user.email });
    await drop(page, 'plan.csv', PLAN);
    await button(page, 'Import').click();
    await button(page, 'Undo import').waitFor();
    const [found] = (await user.client.node.find({ text: 'Go live' })).nodes;
    await user.client.node.update({ id: String(found?.id), title: 'Go live soon' });
    await button(page, 'Undo import').click();
    const alert = dialog(page).getByRole('alert');
    await alert.getByText('Could not undo the import of plan.csv. Nothing was undone').waitFor();
    await alert.getByText('(import.conflict)').waitFor();
    expect((await graphOf(user)).tasks).toHaveLength(4);
  });

  test('[CON28 IO1] stops after a part, and continues', async ({ openConsole, newUser }) => {
    const user = await newUser('stopper');
    const { page } = await openAs(openConsole, { url, email: user.email });
    const batches = await gateBatches(page);
    await drop(page, 'many.csv', manyTasks());
    await button(page, 'Import').click();
    await dialog(page).getByRole('progressbar', { name: 'Importing many.csv' }).waitFor();
    await batches.arrived(1);
    // Escape does not leave a running import.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await button(page, 'Stop').click();
    await dialog(page).getByText('Stopping after this part').waitFor();
    batches.releaseAll();
    await dialog(page)
      .getByText('Imported only a part of many.csv: 1 of 3 parts. You stopped it. (client.closed)')
      .waitFor();
    expect((await graphOf(user)).tasks).toHaveLength(500);
    await button(page, 'Continue').click();
    await dialog(page).getByText('Imported many.csv: 1,100 tasks and 0 links.').waitFor();
    expect((await graphOf(user)).tasks).toHaveLength(1_100);
  });
});

test('[CON28 CON6] the screens of an import have no violation that a program finds', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('screens');
  const { page } = await openAs(openConsole, { url, email: user.email });
  await page.getByRole('button', { name: 'Import…' }).click();
  await dialog(page).getByText('A file can have up to 64 MiB, 50,000 tasks and 200,000 links.').waitFor();
  await look(page, 'import-choose');
  await page.keyboard.press('Escape');
  await closed(page);
  await drop(page, 'plan.csv', PLAN);
  await button(page, 'Import').waitFor();
  await look(page, 'import-preview');
  await page.setViewportSize({ width: 320, height: 640 });
  await look(page, 'phone-import');
  expect(await cutOff(page)).toEqual([]);
  await button(page, 'Import').click();
  await button(page, 'Undo import').waitFor();
  await look(page, 'import-done');
  await page.keyboard.press('Escape');
  await closed(page);
  const long = `The column with a name of many words ${'and more'.repeat(20)}`;
  await drop(page, 'wide.csv', `title,due,priority,assignee,volume,${long}\nDig,1/2/2030,3,Ann,5,x\n`);
  await button(page, 'Import').waitFor();
  await look(page, 'phone-import-table');
  expect(await cutOff(page)).toEqual([]);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await look(page, 'import-table');
  await page.keyboard.press('Escape');
  await closed(page);
  await drop(page, 'broken.json', '{"taskgraph": 1,');
  await dialog(page).getByRole('alert').waitFor();
  await look(page, 'import-broken');
});
