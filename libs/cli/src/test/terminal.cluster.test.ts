// The command line in a real terminal: hidden input, colours, Tab completion, and two users who
// watch each other's changes.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { openTerminal } from '@taskgraph/testkit/stack/terminal';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { expect, test } from 'vitest';
import { openHome } from './support/home.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;
const REPOSITORY = fileURLToPath(new URL('../../../..', import.meta.url));
const PATH = `${join(REPOSITORY, 'node_modules', '.bin')}:${process.env.PATH}`;
const tokenOf = (token: string) => ({ TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token });
const ESCAPE = '\u001b';

test('two people sign in, share a plan and watch each other', async () => {
  const [home, other] = [await openHome(), await openHome()];
  const [ann, bob] = await Promise.all([
    openTerminal({ cwd: REPOSITORY, environment: { ...home.environment, PATH } }),
    openTerminal({ cwd: REPOSITORY, environment: { ...other.environment, PATH } }),
  ]);
  try {
    const [hers, his] = await Promise.all([stack.token(emailOf('ann')), stack.token(emailOf('bob'))]);
    for (const [terminal, token] of [
      [ann, hers],
      [bob, his],
    ] as const) {
      await terminal.enter(`taskgraph login ${url} --token-stdin`);
      await terminal.shows(/token:/);
      await terminal.enter(token);
      expect(await terminal.shows(/signed in to/)).not.toContain(token);
      await terminal.enter('clear');
    }
    await ann.enter(`taskgraph add Go live && taskgraph share "go live" ${emailOf('bob')} --level editor`);
    await ann.shows(/bob@\S+: shared/);
    await ann.enter('clear; taskgraph watch');
    await ann.shows(/watching everything that you can see/);
    await bob.enter('taskgraph ls');
    await bob.shows(/Available\s+Go live/);
    expect(await bob.screen({ colours: true })).toContain(`${ESCAPE}[32mAvailable`);
    await bob.enter('clear; NO_COLOR=1 taskgraph ls');
    await bob.shows(/Available\s+Go live/);
    expect(await bob.screen({ colours: true })).not.toContain(`${ESCAPE}[32mAvailable`);
    await bob.enter('clear; taskgraph watch');
    await bob.shows(/watching everything that you can see/);
    // Each user changes something from another process while both watch.
    await home.run(['add', 'Set up the domain', '--under', 'go live'], { environment: tokenOf(hers) });
    for (const terminal of [ann, bob]) {
      await terminal.shows(/Set up the domain added by ann/);
      await terminal.shows(/Go live is now Blocked \(by ann\)/);
    }
    await other.run(['done', 'Set up the domain'], { environment: tokenOf(his) });
    for (const terminal of [ann, bob]) await terminal.shows(/Go live is now Available \(by bob\)/);
    await ann.press('C-c');
    await ann.enter('clear; echo "ended with $?"');
    await ann.shows(/^ended with 0$/m);
  } finally {
    await Promise.all([ann.close(), bob.close(), home.remove(), other.remove()]);
  }
});

test('Tab completes commands and titles in bash', async () => {
  const home = await openHome();
  const environment = {
    ...home.environment,
    PATH,
    TASKGRAPH_URL: url,
    TASKGRAPH_TOKEN: await stack.token(emailOf('tab')),
  };
  const terminal = await openTerminal({ cwd: REPOSITORY, environment });
  try {
    await terminal.enter(
      'taskgraph add Water the plants; taskgraph ls; source <(taskgraph complete bash); echo "loa""ded"',
    );
    await terminal.shows(/^loaded$/m);
    await terminal.press('taskgraph sho', 'Tab');
    await terminal.shows(/taskgraph show/);
    await terminal.press('wat', 'Tab');
    await terminal.shows(/taskgraph show water-the-plants/);
    await terminal.press('Enter');
    await terminal.shows(/^Water the plants$/m);
  } finally {
    await Promise.all([terminal.close(), home.remove()]);
  }
});

test('a title does not control the terminal', async () => {
  const home = await openHome();
  const environment = { ...home.environment, PATH, ...tokenOf(await stack.token(emailOf('steered'))) };
  const terminal = await openTerminal({ cwd: REPOSITORY, environment });
  try {
    await home.run(['add', `Before${ESCAPE}[2J${ESCAPE}[HAfter\nNext`], { environment });
    await terminal.enter('echo "ke""pt"; taskgraph ls; taskgraph ls | cat; taskgraph plan; echo "do""ne"');
    const screen = await terminal.shows(/^done$/m);
    expect(screen).toMatch(/^kept$/m);
    expect(screen.match(/ Available {2,}Before \[2J \[HAfter Next$/gm)?.length).toBeGreaterThan(2);
  } finally {
    await Promise.all([terminal.close(), home.remove()]);
  }
});
