// The console in Arabic, from right to left: how its language is chosen, and each screen in both themes.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { VIEW_NAMES } from '../routes.ts';
import { cutOff, look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, test, untilLive } from './support/console-fixture.ts';
import { latinWordsOn, overflowOf } from './support/language.ts';

const [url = ''] = sharedStack().urls;
const PHONE = { width: 320, height: 640 };
/** Leaving a page interrupts its requests. */
const INTERRUPTED = /net::ERR_ABORTED$/;
const IN_PROGRESS = 1;

const languageOf = (page: Page) => page.evaluate('[document.documentElement.lang, document.documentElement.dir]');
const [ENGLISH, ARABIC] = [
  ['en', 'ltr'],
  ['ar', 'rtl'],
];
/** The files of Arabic texts that the page has loaded. */
const arabicFiles = (page: Page) =>
  page.evaluate<string[]>(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /\\/ar-[^/]*\\.js$/.test(name))`,
  );

describe('[CON36] the language', () => {
  test('[CON36] is the first one of the browser that has texts, and English needs no other file', async ({
    openConsole,
  }) => {
    const arabic = await openConsole(url, '/', 'ar-EG');
    await arabic.page.getByRole('button', { name: 'تسجيل الدخول' }).waitFor();
    expect(await languageOf(arabic.page)).toEqual(ARABIC);
    expect(await arabicFiles(arabic.page)).toHaveLength(1);
    for (const locale of ['en-GB', 'fr-FR']) {
      const { page } = await openConsole(url, '/', locale);
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await languageOf(page)).toEqual(ENGLISH);
      expect(await arabicFiles(page)).toEqual([]);
    }
  });

  test('[CON36 CON17] is the one that the reader chooses, once the page is loaded again', async ({
    openConsole,
    openConsoleTab,
    newUser,
  }) => {
    const { email } = await newUser('reader1');
    const { page, expected } = await openAs(openConsole, { url, email, path: '/settings' });
    expected.push(INTERRUPTED);
    await page.getByRole('radio', { name: 'English' }).check();
    expect(await languageOf(page)).toEqual(ENGLISH);
    const reload = page.getByRole('button', { name: 'Reload' });
    expect(await reload.count()).toBe(0);
    await page.getByRole('radio', { name: 'العربية' }).check();
    await reload.waitFor();
    // A choice of the present language takes the offer back.
    await page.getByRole('radio', { name: 'English' }).check();
    expect(await reload.count()).toBe(0);
    await page.getByRole('radio', { name: 'العربية' }).check();
    await reload.click();
    await page.getByRole('heading', { level: 1, name: 'الإعدادات' }).waitFor();
    expect(await languageOf(page)).toEqual(ARABIC);
    expect(await page.getByRole('radio', { name: 'العربية' }).isChecked()).toBe(true);
    const tab = await openConsoleTab(page, url, '/ready');
    await tab.page.getByRole('heading', { level: 1, name: 'الجاهزة' }).waitFor();
    await page.getByRole('radio', { name: 'حسب المتصفح' }).check();
    await page.getByRole('button', { name: 'إعادة التحميل' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    expect(await languageOf(page)).toEqual(ENGLISH);
    expect(await page.evaluate('localStorage.length')).toBe(0);
  });

  test('[CON36] another one waits for the reader, whose texts and new token stay', async ({ openConsole, newUser }) => {
    const { email, add } = await newUser('reader2');
    const id = await add('Go live');
    const { page, expected } = await openAs(openConsole, { url, email, path: `/task/${id}` });
    expected.push(INTERRUPTED);
    await page.getByLabel('Description').fill('Half a sentence');
    await page.getByRole('link', { name: 'Settings' }).click();
    const tokens = page.getByRole('region', { name: 'API tokens' });
    const name = tokens.getByRole('textbox', { name: 'Name' });
    await name.fill('Laptop');
    await tokens.getByRole('button', { name: 'Create a token' }).click();
    const token = tokens.getByLabel('The new token');
    await token.waitFor();
    await name.fill('Half a name');
    await page.getByRole('radio', { name: 'English' }).check();
    await page.keyboard.press('ArrowDown');
    await page.locator('label', { hasText: 'العربية' }).locator(':checked:focus').waitFor();
    await page.getByText('Reload the page to see it in the new language.').waitFor();
    expect(await languageOf(page)).toEqual(ENGLISH);
    expect(await token.inputValue()).not.toBe('');
    expect(await name.inputValue()).toBe('Half a name');
    await page.goBack();
    expect(await page.getByLabel('Description').inputValue()).toBe('Half a sentence');
  });
});

/** A few tasks, of which some have Arabic titles and some have English ones. */
async function addTasks({ add, client }: ConsoleUser) {
  const launch = await add('افتتاح المتجر', { volume: 1, tags: ['متجر'] });
  const build = await add('Build the pages!', {
    target: launch,
    volume: 5,
    description: 'One page for each product.',
    assignee: ['سلمى'],
    priority: 2,
    dueDate: '2099-12-12',
  });
  const write = await add('كتابة النصوص', { target: build, volume: 4, dueDate: '2020-01-31', status: IN_PROGRESS });
  await add('Draw the pictures', { target: build, volume: 2 });
  const rent = await add('استئجار خادم', { target: launch, volume: 1 });
  await client.node.update({ id: rent, status: 3 });
  const old = await add('مهمة قديمة');
  await client.call('node:trash', { id: old });
  return { launch, build, write };
}

/** Expects a screen in Arabic alone, without a violation, and no wider than the window. */
async function lookArabic(page: Page, name: string): Promise<void> {
  expect(await languageOf(page)).toEqual(ARABIC);
  expect(await latinWordsOn(page), name).toEqual([]);
  await look(page, `arabic-${name}`);
  expect(await overflowOf(page), name).toBeLessThanOrEqual(0);
}

const row = (page: Page, title: string) => page.locator('.outline-row', { hasText: title });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const openArabic = (openConsole: Parameters<typeof openAs>[0], email: string, path: string) =>
  openAs(openConsole, { url, email, path, locale: 'ar' });

describe('[CON36 CON37 CON6] in Arabic', () => {
  test('[CON36 CON37 CON6] the forms without an account, and a published page', async ({ openConsole, newUser }) => {
    const user = await newUser('arabic1');
    const { build } = await addTasks(user);
    const { diff } = await user.client.call('node:publish', { id: build });
    const { page } = await openConsole(url, `/p/${diff.nodes[0]?.after.publicToken}`, 'ar');
    await heading(page, 'Build the pages!');
    await lookArabic(page, 'published');
    await page.goto('/signin');
    await page.getByRole('button', { name: 'تسجيل الدخول' }).waitFor();
    await lookArabic(page, 'sign-in');
    await page.goto('/register');
    await heading(page, 'إنشاء حساب');
    await lookArabic(page, 'register');
    await page.goto('/forgot');
    await heading(page, 'تعيين كلمة مرور جديدة');
    await lookArabic(page, 'forgot');
  });

  test('[CON36 CON37 CON6] each view, and the panel of a task', async ({ openConsole, newUser }) => {
    const user = await newUser('arabic2');
    const { build, write } = await addTasks(user);
    const { page, expected } = await openArabic(openConsole, user.email, '/ready');
    expected.push(INTERRUPTED);
    for (const [path, title] of [
      ['ready', 'الجاهزة'],
      ['outline', 'العرض الشجري'],
      ['board', 'اللوحة'],
      ['plan', 'الخطة'],
      ['history', 'السجل'],
      ['trash', 'سلة المهملات'],
      ['shared', 'المشتركة'],
      ['settings', 'الإعدادات'],
      ['ready/nowhere', 'الصفحة غير موجودة'],
    ] as const) {
      await page.goto(`/${path}`);
      await untilLive(page);
      await heading(page, title);
      if (path === 'history') await page.locator('.batch').first().waitFor();
      if (path === 'trash') await page.locator('.trash-row').waitFor();
      if (path === 'settings') await page.getByText('هذه الجلسة', { exact: true }).waitFor();
      await lookArabic(page, path.replace('/', '-'));
    }
    await page.goto(`/task/${build}`);
    await untilLive(page);
    await page.getByRole('region', { name: 'لماذا هي متوقفة' }).waitFor();
    await page.locator('summary', { hasText: 'الوصول' }).click();
    await page.getByRole('heading', { name: 'من لديه وصول' }).waitFor();
    await lookArabic(page, 'task-blocked');
    await page.goto(`/task/${write}`);
    await untilLive(page);
    await page.getByRole('heading', { level: 2, name: 'كتابة النصوص' }).waitFor();
    await lookArabic(page, 'task');
  });

  test('[CON36 CON37 CON6 SCOPE1 BOT1] the scopes of a token, and a bot with its tokens', async ({
    openConsole,
    newUser,
  }) => {
    const { email } = await newUser('arabic-bots');
    const { page } = await openArabic(openConsole, email, '/settings');
    const tokens = page.getByRole('region', { name: 'رموز الوصول البرمجي', exact: true });
    await tokens.getByLabel('الاسم', { exact: true }).fill('ليلي');
    const scopes = tokens.getByRole('group', { name: 'ما يسمح به الرمز' });
    for (const label of ['ربط المهام', 'المشاركة والنشر', 'الحذف النهائي']) await scopes.getByLabel(label).uncheck();
    await tokens.getByRole('button', { name: 'إنشاء رمز' }).click();
    await tokens.locator('.people li', { hasText: 'يسمح فقط بما يلي' }).waitFor();
    await tokens.getByRole('button', { name: 'إخفاؤه' }).click();
    const bots = page.getByRole('region', { name: 'الحسابات الآلية', exact: true });
    await bots.getByText('ليس لديك حساب آلي.').waitFor();
    await bots.getByLabel('اسم الحساب الآلي').fill('مستورد');
    await bots.getByRole('button', { name: 'إنشاء حساب آلي' }).click();
    const address = bots.getByLabel(/^عنوان /);
    await address.waitFor();
    expect(await address.inputValue()).toMatch(/^bot-[0-9a-f]{12}@bots\.invalid$/);
    await bots.getByRole('button', { name: /^رموز الوصول البرمجي: / }).click();
    await bots.getByText('ليس لهذا الحساب الآلي رمز وصول برمجي.').waitFor();
    await lookArabic(page, 'settings-bots');
    await page.setViewportSize(PHONE);
    await lookArabic(page, 'phone-settings-bots');
    expect(await cutOff(page)).toEqual([]);
    await bots.getByRole('button', { name: /^إزالة: / }).click();
    await bots.getByRole('button', { name: 'إزالته الآن' }).click();
    await bots.getByText('ليس لديك حساب آلي.').waitFor();
  });

  test('[CON36 CON37 CON6 ICAL1] a calendar and its address', async ({ openConsole, newUser }) => {
    const { email } = await newUser('arabic-calendars');
    const { page } = await openArabic(openConsole, email, '/settings');
    const calendars = page.getByRole('region', { name: 'التقويمات', exact: true });
    await calendars.getByText('ليس لديك تقويم.').waitFor();
    await calendars.getByLabel('اسم التقويم').fill('مواعيدي');
    await calendars.getByRole('button', { name: 'إنشاء تقويم' }).click();
    await calendars.getByLabel('العنوان الجديد').waitFor();
    await calendars.locator('.people li', { hasText: 'لم يُطلب بعد' }).waitFor();
    await lookArabic(page, 'settings-calendars');
    await page.setViewportSize(PHONE);
    await lookArabic(page, 'phone-settings-calendars');
    expect(await cutOff(page)).toEqual([]);
  });

  test('[CON36 CON37 CON6] dialogs, messages, the filter and the selection', async ({ openConsole, newUser }) => {
    const user = await newUser('arabic3');
    await addTasks(user);
    const { page } = await openArabic(openConsole, user.email, '/ready?f=status:open tag:متجر late:');
    await page.getByRole('button', { name: 'مسح التصفية' }).first().waitFor();
    await lookArabic(page, 'filter');
    await page.getByRole('button', { name: 'مسح التصفية' }).first().click();
    await page.getByRole('button', { name: /^إكمال: .*Draw the pictures/ }).click();
    await page.getByText('اكتملت').waitFor();
    await page.locator('.row [data-task]').first().focus();
    // A key of an Arabic keyboard.
    await page.evaluate(`document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'ء', code: 'KeyX', bubbles: true, cancelable: true }))`);
    await page.getByRole('button', { name: 'مسح', exact: true }).waitFor();
    await lookArabic(page, 'selection');
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox', { name: 'ابحث عن أمر أو مهمة' }).waitFor();
    await lookArabic(page, 'palette');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'اختصارات لوحة المفاتيح' }).waitFor();
    await lookArabic(page, 'keys');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'استيراد…' }).click();
    await page.getByRole('heading', { name: 'استيراد ملف' }).waitFor();
    // The dialog names the formats that it reads.
    await look(page, 'arabic-import');
    await page.keyboard.press('Escape');
  });

  test('[CON44] the reason of a reader of files says that it is in English', async ({ openConsole, newUser }) => {
    const { email } = await newUser('arabic-reason');
    const { page } = await openArabic(openConsole, email, '/ready');
    await page.getByRole('button', { name: 'استيراد…' }).click();
    const dialog = page.getByRole('dialog', { name: 'استيراد ملف' });
    await dialog
      .locator('input[type="file"]')
      .setInputFiles({ name: 'plan.csv', mimeType: 'text/csv', buffer: Buffer.from('title,status\n"One,Soon\n') });
    const reason = dialog.getByRole('alert').locator('[lang="en"][dir="ltr"]');
    await reason.waitFor();
    expect(await reason.innerText()).toBe('a quote is not closed, or something follows it');
    expect(await dialog.getByRole('alert').innerText()).toContain('السطر 2:');
  });

  test('[CON36 CON37] the fields of a table, also in a window of 320 pixels', async ({ openConsole, newUser }) => {
    const { email } = await newUser('arabic-table');
    const { page } = await openArabic(openConsole, email, '/ready');
    await page.getByRole('button', { name: 'استيراد…' }).click();
    const dialog = page.getByRole('dialog', { name: 'استيراد ملف' });
    await dialog.locator('input[type="file"]').setInputFiles({
      name: 'plan.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('title,Helper,due\nOne,Ann,1/2/2030\n'),
    });
    await dialog.getByText('الأعمدة: يُقرأ 2 من 3').waitFor();
    await dialog.getByLabel('Helper', { exact: true }).selectOption('المكلَّفون');
    await dialog.getByText('الأعمدة: يُقرأ 3 من 3').waitFor();
    await dialog.getByLabel('تواريخ مثل').selectOption('اليوم أولًا');
    await dialog.getByText('1 فبراير 2030').waitFor();
    for (const viewport of [await page.viewportSize(), PHONE]) {
      if (viewport !== null) await page.setViewportSize(viewport);
      await look(page, `arabic-import-table-${viewport?.width}`);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(await cutOff(page)).toEqual([]);
    }
  });

  test('[CON37] a window of 320 pixels, where nothing is cut off', async ({ openConsole, newUser }) => {
    const user = await newUser('arabic4');
    const { build } = await addTasks(user);
    const { page, expected } = await openArabic(openConsole, user.email, '/ready');
    expected.push(INTERRUPTED);
    await page.setViewportSize(PHONE);
    for (const path of [...VIEW_NAMES, `task/${build}`]) {
      await page.goto(`/${path}`);
      await untilLive(page);
      await page.locator('h1, .panel h2').first().waitFor({ state: 'attached' });
      if (path === 'graph') await page.locator('.picture[aria-busy="false"]').waitFor();
      await lookArabic(page, `phone-${path.split('/')[0]}`);
      expect(await cutOff(page)).toEqual([]);
    }
  });

  test('[CON37] the graph runs from left to right, and its texts have their own direction', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('arabic5');
    const { launch, build } = await addTasks(user);
    const { page } = await openArabic(openConsole, user.email, '/graph');
    await page.locator('.picture[aria-busy="false"]').waitFor();
    const card = (id: string) => page.locator(`.card[data-task="${id}"]`);
    await card(build).waitFor();
    const [first, later] = [await card(build).boundingBox(), await card(launch).boundingBox()];
    expect(first!.x + first!.width).toBeLessThan(later!.x);
    const directions = await page.evaluate(`['${build}', '${launch}'].map((id) =>
      getComputedStyle(document.querySelector('.card[data-task="' + id + '"] .card-title')).direction)`);
    expect(directions).toEqual(['ltr', 'rtl']);
    await lookArabic(page, 'graph');
    await card(launch).focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('.card:focus').waitFor();
    await page.keyboard.press('l');
    await page.getByText('ما المهمة التي ستنتظر اكتمال').waitFor();
    await lookArabic(page, 'graph-link');
  });
});

describe('[CON37] from right to left', () => {
  test('[CON37 CON8] in the outline, the left arrow expands, and the right one collapses', async ({
    openConsole,
    newUser,
  }) => {
    const { email, client, add } = await newUser('arabic6');
    const launch = await add('افتتاح المتجر');
    const build = await add('Build the pages!', { target: launch });
    await add('كتابة النصوص', { target: build });
    const paint = await add('طلاء المتجر', { target: launch });
    const { page } = await openArabic(openConsole, email, '/outline');
    await row(page, 'Build the pages!').focus();
    expect(await row(page, 'كتابة النصوص').count()).toBe(0);
    await page.keyboard.press('ArrowRight');
    await page.locator('.outline-row:focus', { hasText: 'افتتاح المتجر' }).waitFor();
    await row(page, 'Build the pages!').focus();
    await page.keyboard.press('ArrowLeft');
    await row(page, 'كتابة النصوص').waitFor();
    await page.keyboard.press('ArrowRight');
    await row(page, 'كتابة النصوص').waitFor({ state: 'detached' });
    // Deeper rows begin further to the left, and a title has the direction of its own language.
    const right = async (title: string) => {
      const box = await row(page, title).locator('.outline-title').boundingBox();
      return box!.x + box!.width;
    };
    expect(await right('Build the pages!')).toBeLessThan(await right('افتتاح المتجر'));
    const directions = await page.evaluate(`[...document.querySelectorAll('.outline-title')].map((title) =>
      [title.textContent, getComputedStyle(title).direction])`);
    expect(directions).toContainEqual(['Build the pages!', 'ltr']);
    expect(directions).toContainEqual(['افتتاح المتجر', 'rtl']);

    await row(page, 'طلاء المتجر').focus();
    await page.keyboard.press('Alt+ArrowLeft');
    await page.locator('.outline-row:focus[aria-level="3"]', { hasText: 'طلاء المتجر' }).waitFor();
    await expect
      .poll(async () => (await client.call('graph:get', {})).links.filter(({ source }) => source === paint))
      .toMatchObject([{ target: build }]);
  });

  test('[CON37 CON13] on the board, the left arrow leads to the next column', async ({ openConsole, newUser }) => {
    const { email, add } = await newUser('arabic7');
    await add('افتتاح المتجر');
    await add('كتابة النصوص', { status: IN_PROGRESS });
    const { page } = await openArabic(openConsole, email, '/board');
    await page.getByRole('link', { name: 'افتتاح المتجر' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('[data-status="1"] a:focus', { hasText: 'كتابة النصوص' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('[data-status="0"] a:focus', { hasText: 'افتتاح المتجر' }).waitFor();
  });

  test('[CON37 CON12] in the plan, time runs to the left, and so do its keys and the end of a bar', async ({
    openConsole,
    newUser,
  }) => {
    const { email, add } = await newUser('arabic8');
    const launch = await add('افتتاح المتجر', { volume: 2 });
    await add('كتابة النصوص', { target: launch, volume: 4 });
    const { page } = await openArabic(openConsole, email, '/plan');
    const bar = (title: string) => page.locator('.plan-row', { hasText: title });
    await bar('افتتاح المتجر').locator('.bar').waitFor();
    const [first, later] = [
      await bar('كتابة النصوص').locator('.bar').boundingBox(),
      await bar('افتتاح المتجر').locator('.bar').boundingBox(),
    ];
    expect(later!.x + later!.width).toBeLessThanOrEqual(first!.x + 1);
    await bar('كتابة النصوص').focus();
    await page.keyboard.press('Shift+ArrowLeft');
    await page.getByText('إلى 5 بدلًا من 4؟').waitFor();
    await page.keyboard.press('Escape');
    const handle = await bar('افتتاح المتجر').locator('.bar-end').boundingBox();
    const [x, y] = [handle!.x + handle!.width / 2, handle!.y + handle!.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - later!.width / 2, y, { steps: 4 });
    await page.getByText('إلى 3 بدلًا من 2؟').waitFor();
    await page.mouse.up();
    await lookArabic(page, 'plan-question');
  });
});
