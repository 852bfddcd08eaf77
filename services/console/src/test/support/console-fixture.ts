// The test function of the console: opens it in Chromium on the stack of the run. After each test it
// expects that no page had an error, a breach of its policy, or a request to another host.

import { connect, type TaskgraphClient } from '@taskgraph/client';
import {
  type Browser,
  openBrowser,
  openPage,
  openTab,
  type Page,
  type WatchedPage,
} from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import type { RunningStack } from '@taskgraph/testkit/stack/stack';
import { emailOf, makePassword } from '@taskgraph/testkit/stack/users';
import { test as base, expect } from 'vitest';
import { forms as arabic } from '../../messages/ar/forms.ts';
import { forms as english } from '../../messages/en/forms.ts';

const PATIENCE_MS = 120_000;
export const PASSWORD = 'correct horse battery staple';

export interface OpenedConsole {
  readonly page: Page;
  readonly problems: readonly string[];
  /** Matches the problems that the test causes on purpose, such as the refusal of a wrong password. */
  readonly expected: RegExp[];
}

/** Opens an address of the console in a browser of its own, with no cookies. `locale` is the language of the browser. */
export type OpenConsole = (url: string, path?: string, locale?: string) => Promise<OpenedConsole>;
/** Opens an address in another tab of the same browser. */
export type OpenConsoleTab = (beside: Page, url: string, path?: string) => Promise<OpenedConsole>;

/** Reports a breach of the policy, also one that the browser would not write to its console. */
const REPORT_BREACHES = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('policy: ' + violatedDirective + ' ' + blockedURI))`;

/** A user with the password of the tests, and a connection of theirs beside the console. */
export interface ConsoleUser {
  readonly email: string;
  readonly client: TaskgraphClient;
  /** Adds a task, and returns its id. */
  add(title: string, fields?: Omit<Parameters<TaskgraphClient['node']['add']>[0], 'title'>): Promise<string>;
}

interface Fixtures {
  /** One for all tests of a file. */
  browser: Browser;
  openConsole: OpenConsole;
  openConsoleTab: OpenConsoleTab;
  /** Pages that are checked at the end of the test. */
  opened: OpenedConsole[];
  /** Creates a user of the stack of the run. Their connection closes with the test. */
  newUser: (name: string) => Promise<ConsoleUser>;
}

export const test = base.extend<Fixtures>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern to find what a fixture needs.
    async ({}, use) => {
      const browser = await openBrowser();
      await use(browser);
      await browser.close();
    },
    { scope: 'file' },
  ],
  opened: async ({ task }, use) => {
    const opened: OpenedConsole[] = [];
    await use(opened);
    const shown = task.result?.state === 'fail' ? await Promise.all(opened.map(textOf)) : [];
    // Closing a page may interrupt its requests.
    const unexpected = opened.flatMap(({ problems, expected }) =>
      problems.filter((problem) => !expected.some((pattern) => pattern.test(problem))),
    );
    await Promise.all(opened.map(({ page }) => page.context().close()));
    // The list is in the message too: a summary of a run shows nothing else.
    expect(unexpected, unexpected.join('; ')).toEqual([]);
    if (shown.length > 0) throw new Error(`The pages of the failed test: ${shown.join(' | ')}`);
  },
  openConsole: async ({ browser, opened }, use) => {
    await use(async (url, path = '/', locale = 'en-US') => begin(opened, await openPage(browser, url, locale), path));
  },
  openConsoleTab: async ({ opened }, use) => {
    await use(async (beside, url, path = '/') => begin(opened, await openTab(beside.context(), url), path));
  },
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern to find what a fixture needs.
  newUser: async ({}, use) => {
    const users: ConsoleUser[] = [];
    await use(async (name) => {
      const user = await openUser(name);
      users.push(user);
      return user;
    });
    for (const { client } of users) client.close();
  },
});

/** What a page shows, on one line. Its end has the messages. */
async function textOf({ page }: OpenedConsole): Promise<string> {
  const text = await page.locator('body').innerText({ timeout: 5_000 }).catch(String);
  return text.replaceAll(/\s+/g, ' ').slice(-1_000);
}

async function begin(opened: OpenedConsole[], { page, problems }: WatchedPage, path: string): Promise<OpenedConsole> {
  const one: OpenedConsole = { page, problems, expected: [] };
  opened.push(one);
  // It ends a page that hangs, and leaves time to one on a busy machine.
  page.setDefaultTimeout(PATIENCE_MS);
  await page.addInitScript(REPORT_BREACHES);
  await page.goto(path);
  return one;
}

async function openUser(name: string): Promise<ConsoleUser> {
  const stack = sharedStack();
  const email = await userWithPassword(stack, name);
  const client = await clientOf(stack, email);
  return {
    email,
    client,
    async add(title, fields = {}) {
      const { diff } = await client.node.add({ title, ...fields });
      return String(diff.nodes[0]?.after.id);
    },
  };
}

/** Creates a user with a password, and returns their e-mail. */
export async function userWithPassword(stack: Pick<RunningStack, 'environment'>, name: string): Promise<string> {
  const email = emailOf(name);
  await makePassword(stack.environment, email, PASSWORD);
  return email;
}

/** A connection of the user, for what others do while the console is open. */
export async function clientOf(stack: RunningStack, email: string): Promise<TaskgraphClient> {
  const [url = ''] = stack.urls;
  return connect({ url, token: await stack.token(email), timeoutMs: PATIENCE_MS });
}

export async function signIn(
  page: Page,
  email: string,
  password = PASSWORD,
  texts: typeof arabic.signIn = english.signIn,
): Promise<void> {
  await page.getByLabel(texts.email).fill(email);
  await page.getByLabel(texts.password).fill(password);
  await page.getByRole('button', { name: texts.submit }).click();
}

interface OpenAs {
  readonly url: string;
  readonly email: string;
  readonly path?: string;
  /** The language of the browser. */
  readonly locale?: string;
}

/** Opens the console, signs in, and waits until the page shows the whole graph live. */
export async function openAs(
  openConsole: OpenConsole,
  { url, email, path = '/', locale = 'en-US' }: OpenAs,
): Promise<OpenedConsole> {
  const opened = await openConsole(url, path, locale);
  await signIn(opened.page, email, PASSWORD, locale.startsWith('ar') ? arabic.signIn : english.signIn);
  await untilLive(opened.page);
  return opened;
}

export async function untilLive(page: Page): Promise<void> {
  await page.locator('.status-bar[data-state="live"]').waitFor();
}

/** The ids of the rows of Ready, in order. */
export function readyIds(page: Page): Promise<(string | null)[]> {
  return page
    .locator('.row [data-task]')
    .evaluateAll((links: { dataset: Record<string, string> }[]) => links.map(({ dataset }) => dataset.task ?? null));
}
