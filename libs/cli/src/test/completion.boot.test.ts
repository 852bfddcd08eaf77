// Tab completion in real shells, with titles and typed words that would run commands if expanded.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTerminal, type Shell } from '@taskgraph/testkit/stack/terminal';
import { expect, test } from 'vitest';
import { openHome } from './support/home.ts';
import { idOf, writeOfflineCopy } from './support/offline-copy.ts';

const BINARIES = fileURLToPath(new URL('../../../../node_modules/.bin', import.meta.url));

/** Each creates a file of the given name if a shell expands it, or controls the terminal. */
const HOSTILE: readonly ((file: string) => string)[] = [
  (file) => `$(touch ${file})`,
  (file) => `$(touch\${IFS}${file})`,
  (file) => `\`touch ${file}\``,
  (file) => `two\n$(touch ${file})\nlines`,
  (file) => `two\r\n\`touch ${file}\`\t$(touch ${file})`,
  (file) => `"; touch ${file}; "`,
  (file) => `'; touch ${file}; '`,
  (file) => `$'\\'; touch ${file}; $'`,
  (file) => `a[$(touch ${file})]:a[$(touch ${file})]`,
  (file) => `\${x:=$(touch ${file})} \${(e):-$(touch ${file})}`,
  (file) => `(touch ${file}) <(touch ${file}) =(touch ${file})`,
  (file) => `| touch ${file} & touch ${file} ; touch ${file} > ${file}`,
  (file) => `> ${file}`,
  () => '* ? [a-z]* {a,b} ~ ~root !! !1',
  () => '%F{red} %(?.a.b) %{x%} \\e[2J \\033[2J',
  () => '\u001b]2;owned\u0007\u001b[2J\u009b2J title',
  () => 'one\u2028two\u202ethree\u0000four',
];

const COLOUR = /\p{Cc}\[[\d;:]*m/gu;
/** Control characters on the screen, except line breaks. */
const CONTROL = /(?!\n)[\p{Cc}\u202e\u2028]/u;

const SHELLS: readonly (readonly [shell: Shell, load: string])[] = [
  ['bash', 'source <(taskgraph complete bash)'],
  ['zsh', 'autoload -Uz compinit; compinit -u -D; source <(taskgraph complete zsh)'],
  ['fish', 'taskgraph complete fish | source'],
];

test.each(SHELLS)('in %s hostile titles and words run nothing, and completion works', async (shell, load) => {
  const home = await openHome({ TASKGRAPH_URL: 'http://127.0.0.1:9', TASKGRAPH_TOKEN: 'tg_nobody' });
  const folder = await mkdtemp(join(tmpdir(), 'taskgraph-completion-'));
  const work = join(folder, 'work');
  await mkdir(work);
  const titles = ['Water the plants', ...HOSTILE.map((title, index) => title(`ran-${index}`))];
  await writeOfflineCopy(home.environment, { nodes: titles.map((title, index) => ({ id: idOf(index + 1), title })) });
  const environment = { ...home.environment, HOME: folder, PATH: `${BINARIES}:${process.env.PATH}` };
  const terminal = await openTerminal({ shell, cwd: work, environment, columns: 160, lines: 70 });
  const clear = async () => {
    // No C-c: it would interrupt a running completion and leave its words in the input.
    await terminal.press('C-e', 'C-u');
    await terminal.enter('clear; echo "cle""ared"');
    await terminal.shows(/^cleared$/m);
  };
  try {
    await terminal.enter(`${load}; echo "loa""ded"`);
    await terminal.shows(/^loaded$/m);
    await terminal.press('taskgraph sho', 'Tab');
    await terminal.shows(/taskgraph show$/m);
    await terminal.press('wat', 'Tab');
    await terminal.shows(/taskgraph show water-the-plants/);
    await clear();
    await terminal.press('taskgraph add Roses --under=wat', 'Tab');
    await terminal.shows(/--under=water-the-plants/);
    await clear();
    await terminal.press('taskgraph show two-touch-ran-3', 'Tab');
    await terminal.shows(/taskgraph show two-touch-ran-3-lines/);
    expect(await readdir(work)).toEqual([]);
    await clear();
    // List all nodes. Some shells need a second press.
    await terminal.press('taskgraph show ', 'Tab');
    await terminal.press('Tab');
    const listed = await terminal.shows(/water-the-plants/);
    expect(listed).toMatch(/touch-ran-0/);
    expect((await terminal.screen({ colours: true })).replaceAll(COLOUR, '')).not.toMatch(CONTROL);
    expect(await readdir(work)).toEqual([]);
    await clear();
    // Words typed earlier do not run either. Not every shell completes after all of these.
    await terminal.press('taskgraph show $(touch typed-1) wat', 'Tab');
    await terminal.shows(/typed-1\) water-the-plants/);
    await clear();
    for (const typed of [
      '`touch typed-2`',
      "'; touch typed-3; '",
      '$(touch typed-4',
      '<(touch typed-5)',
      '(touch typed-6)',
    ]) {
      await terminal.press(`taskgraph show ${typed} wat`, 'Tab');
      await clear();
    }
    expect(await terminal.title()).not.toContain('owned');
    expect(await readdir(work)).toEqual([]);
  } finally {
    await terminal.close();
    await Promise.all([home.remove(), rm(folder, { recursive: true, maxRetries: 20, retryDelay: 100 })]);
  }
});
