// The Arabic texts: complete, in Arabic, and free of modules that wait for them.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { main } from './ar/main.ts';
import { count, isolated, quoted, TASKS } from './ar/words.ts';
import { arabic } from './ar.ts';
import { en } from './en.ts';

type Text = string | ((...parameters: never[]) => unknown) | readonly Text[] | { readonly [name: string]: Text };

const folder = (name: string) => new URL(`./${name}/`, import.meta.url);
const modules = (name: string) => readdirSync(folder(name)).filter((file) => file.endsWith('.ts'));

/** The texts of each module, by its name. */
async function english(): Promise<Readonly<Record<string, Text>>> {
  const views = modules('en').map(async (file) => {
    const [texts = ''] = Object.values((await import(new URL(file, folder('en')).href)) as Record<string, Text>);
    return [file.replace('.ts', ''), texts] as const;
  });
  return Object.fromEntries([['main', en], ...(await Promise.all(views))]);
}

/** Pairs of an English text and its translation, by their path. */
function pairsOf(path: string, own: Text, other: Text | undefined): [path: string, own: Text, other?: Text][] {
  if (typeof own !== 'object') return [[path, own, other as Text]];
  return Object.entries(own).flatMap(([name, text]) =>
    pairsOf(`${path}.${name}`, text as Text, (other as Record<string, Text> | undefined)?.[name]),
  );
}

const pairs = Object.entries(await english()).flatMap(([name, texts]) =>
  pairsOf(name, texts, (arabic as Readonly<Record<string, unknown>>)[name] as Text),
);

test('[CON36] each English text has one in Arabic, with the same parameters', () => {
  expect(pairs.length).toBeGreaterThan(700);
  const different = pairs.filter(
    ([, own, other]) =>
      typeof own !== typeof other || (typeof own === 'function' && own.length !== (other as typeof own).length),
  );
  expect(different.map(([path]) => path)).toEqual([]);
});

test('[CON36] each Arabic text is in Arabic', () => {
  const foreign = pairs.filter(([, own, other]) => {
    const [before, after] = [resultOf(own), resultOf(other as Text)];
    const latin = after.replace(PARAMETERS, '').match(/[A-Za-z]+/g) ?? [];
    const isWritten = /\p{L}/u.test(before.replace(NAMES, '').replace(PARAMETERS, ''));
    return latin.some((word) => !NAME.test(word)) || (isWritten && !/\p{Script=Arabic}/u.test(after));
  });
  expect(foreign.map(([path, , other]) => [path, resultOf(other as Text)])).toEqual([]);
});

/** The brand, formats and programs, and the names of keys and conditions. */
const NAMES =
  /\b(Taskgraph|CSV|JSON|SVG|PNG|iCalendar|Vikunja|GitHub|Taskwarrior|Todoist|PSPLIB|Trello|Microsoft|Project|XML|GanttProject|Actions|turbo|Patterson|rcp|https|UTF|data|json|Enter|Escape|Shift|Ctrl|Alt|F2|F|E|C|L|status|open|tag|web|Task|Master|Beads|Markdown|todo|txt|Org|Mermaid|DOT)\b/g;
const NAME = new RegExp(`^${NAMES.source}$`);

/** A text, and a number that is a year and so a date too. */
const SAMPLE = '2024';
const PARAMETERS = /2,?024/g;

/** A text, or what its function returns for some parameters. */
function resultOf(text: Text): string {
  if (typeof text !== 'function') return String(text);
  const call = text as (...parameters: unknown[]) => unknown;
  for (let lists = 0; lists < 2 ** text.length; lists++) {
    const parameters = Array.from({ length: text.length }, (_, place) => (lists & (1 << place) ? [SAMPLE] : SAMPLE));
    try {
      return String(call(...parameters));
    } catch (error) {
      // Another parameter is a list.
      if (!(error instanceof TypeError)) throw error;
    }
  }
  throw new Error(`no parameters fit ${text}`);
}

test('[CON36] views have the texts in the language of the page, by their own name', () => {
  for (const file of modules('en')) {
    const name = file.replace('.ts', '');
    const source = readFileSync(new URL(file, folder('texts')), 'utf8');
    expect(source).toContain(`from '../en/${file}'`);
    expect(source).toContain(`translated('${name}', english)`);
  }
  expect(modules('texts')).toEqual(modules('en'));
  const own = readdirSync(new URL('../', import.meta.url), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/^messages|^test|\.test\.ts$/.test(file),
  );
  const english = own.filter((file) =>
    /messages\/en\b/.test(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')),
  );
  expect(own.length).toBeGreaterThan(200);
  expect(english).toEqual([]);
});

test('[CON36] no Arabic module waits for a module of the first load, which waits for it', () => {
  for (const file of modules('ar')) {
    const source = readFileSync(new URL(file, folder('ar')), 'utf8');
    const outside = source.match(/^import (?!type ).*from '(?!\.\/).*'/gm) ?? [];
    expect([file, outside]).toEqual([file, []]);
  }
});

test('[CON36] nouns have the form that their number takes, and digits are those of fields', () => {
  expect([0, 1, 2, 3, 10, 11, 99, 100, 103, 2_000].map((amount) => count(amount, TASKS))).toEqual([
    '0 مهمة',
    'مهمة واحدة',
    'مهمتان',
    '3 مهام',
    '10 مهام',
    '11 مهمة',
    '99 مهمة',
    '100 مهمة',
    '103 مهام',
    '2,000 مهمة',
  ]);
  expect(main.day('2099-12-24')).toBe('24 ديسمبر 2099');
  expect(main.moment('2099-12-24T12:00:00Z')).toMatch(/^24 ديسمبر 2099 .*\d:\d\d/);
});

test('[CON36 CON6] a title has its own direction in a sentence, and cannot leave it', () => {
  expect([isolated('Go live!'), quoted('a\u202eb\u2069c')]).toEqual(['\u2068Go live!\u2069', '«\u2068abc\u2069»']);
});
