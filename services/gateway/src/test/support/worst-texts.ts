// The worst texts for a field, a header or a token, in any length, and a measurement of their time.

/** Bytes of the longest body; no header and no frame is longer. */
export const LONGEST = 256 * 1024;

/**
 * Texts that may make a pattern slow: a beginning, a repeated part, and an end that prevents a
 * match.
 */
type Shape = readonly [before: string, repeated: string, after: string];

/**
 * The repeated part: characters in patterns for names, times, addresses, numbers, headers and
 * encodings.
 */
const REPEATED = [
  ' ',
  '\t',
  '\n',
  '\u00a0',
  '\u2028',
  '\u0001',
  '\u0000',
  'a',
  'A',
  '0',
  '1',
  '-',
  '_',
  '.',
  '/',
  '\\',
  '@',
  ':',
  ',',
  ';',
  '=',
  '&',
  '+',
  '%',
  '"',
  "'",
  '(',
  '[',
  '{',
  '*',
  '$',
  '#',
  'a ',
  ' a',
  'a.',
  'a@',
  '.a',
  '-a',
  'a-',
  'T',
  'T+00',
  '+00',
  '-00:00',
  'T00:00:00',
  '00-',
  '1,',
  ', ',
  ',,',
  '; ',
  '%20',
  'a=b&',
  'a=1;',
  '::',
  ':0',
  '::ffff:',
  '1.',
  '127.0.0.1,',
  'Bearer ',
  'bearer a ',
  'tg_',
  'xn--',
  'https://',
  '//',
  '__proto__',
  // Texts that grow when they are folded or normalised, sequences of marks, lone surrogates, and
  // characters outside the first plane.
  '\u0130',
  '\ufdfa',
  '\u0345',
  '\u0301',
  '\u1e9e',
  'e\u0301',
  '\ud800',
  '\u{1f600}',
  '\u202e',
  '\u200b',
  '\u4e00',
] as const;

/** The first part: beginnings of valid texts. */
const BEFORE = [
  '',
  'a',
  'Bearer ',
  '2026-01-05T08:00:00.',
  '00-',
  'application/',
  'https://',
  'taskgraph_session=',
] as const;
const AFTER = ['', '!'] as const;

/**
 * Each repeated part alone and with a wrong end, and the most effective ones after each beginning.
 */
const SHAPES: readonly Shape[] = [
  ...REPEATED.flatMap((repeated) => AFTER.map((after): Shape => ['', repeated, after])),
  ...BEFORE.slice(1).flatMap((before) =>
    ['a', ' ', '0', '-', '.', ',', '/', '+00', '\u4e00'].map((repeated): Shape => [before, repeated, '!']),
  ),
];

/** A text of this shape with this number of UTF-16 units, or a few less. */
function textOf([before, repeated, after]: Shape, length: number): string {
  const times = Math.max(1, Math.floor((length - before.length - after.length) / repeated.length));
  return before + repeated.repeat(times) + after;
}

/** JSON that is expensive to walk: deep, wide, or a number of many digits. */
export function worstJson(length: number): readonly string[] {
  const [half, few] = [Math.floor(length / 2), Math.floor(length / 16)];
  return [
    '['.repeat(half) + ']'.repeat(half),
    `${'{"a":'.repeat(Math.floor(length / 6))}1${'}'.repeat(Math.floor(length / 6))}`,
    `[${'1,'.repeat(half - 1)}1]`,
    `[${'"",'.repeat(Math.floor(length / 3) - 1)}""]`,
    `[${'{},'.repeat(Math.floor(length / 3) - 1)}{}]`,
    `{${Array.from({ length: few }, (_, index) => `"${index}":1`).join(',')}}`,
    `{${Array.from({ length: few }, (_, index) => `"${4_294_967_290 - index}":1`).join(',')}}`,
    `{${'"__proto__":{},'.repeat(few)}"a":1}`,
    '1'.repeat(length),
    `-0.${'0'.repeat(length - 5)}1`,
    `1e${'9'.repeat(length - 3)}`,
  ];
}

/**
 * Lengths in ascending order: superlinear code already fails at a short length, and the test ends
 * there.
 */
const LENGTHS = [8 * 1024, LONGEST] as const;
/** The number of repeated measurements if a parser seems slow, each with a harmless text. */
const LOOKS = 3;

/**
 * The permitted ratio of the worst to the harmless text: reading, decoding and refusing differ by a
 * small factor.
 */
const MOST_TIMES = 100;
/** Parsers that are measured together first, since a measurement takes longer than most of them. */
const TOGETHER = 16;
/** A busy machine makes single runs slow, so only lasting slowness counts. */
const RUNS = 8;

/** Code that processes a client's text. */
export interface Taker<T> {
  readonly name: string;
  readonly take: (content: T) => unknown;
}

/** Texts that clients may send, in any length. */
export interface Content<T> {
  readonly name: string;
  readonly of: (length: number) => T;
}

export const WORST_TEXTS: readonly Content<string>[] = SHAPES.map((shape) => ({
  name: JSON.stringify(shape),
  of: (length) => textOf(shape, length),
}));

/** Values that came as JSON. */
export const WORST_VALUES: readonly Content<unknown>[] = worstJson(LONGEST).map((_, index) => ({
  name: `JSON ${index}`,
  of: (length) => JSON.parse(worstJson(length)[index] ?? ''),
}));

/**
 * Describes the first parser that is much slower on one of the texts than on a harmless text of the
 * same length plus one pass over its characters. It stops there, since others may take hours.
 */
export async function disproportionate<T>(
  takers: readonly Taker<T>[],
  contents: readonly Content<T>[],
  harmless: (length: number) => T,
): Promise<string | null> {
  for (const length of LENGTHS) {
    const [plain, text] = [harmless(length), 'a'.repeat(length)];
    const passOver = () => least(() => JSON.stringify(text), 0);
    const mostOf = async (taker: Taker<T>, pass: number) =>
      MOST_TIMES * (pass + (await least(() => taker.take(plain), 0)));
    const bounds = new Map<Taker<T>, number>();
    const firstPass = await passOver();
    for (const taker of takers) bounds.set(taker, await mostOf(taker, firstPass));
    const groups = groupsOf(takers);
    for (const { name, of } of contents) {
      const worst = of(length);
      for (const group of groups) {
        // If all of them together stay below each single bound, each stays below its own.
        const lowest = Math.min(...group.map((taker) => bounds.get(taker) ?? 0));
        if ((await timeOf(() => takeAll(group, worst))) <= lowest) continue;
        for (const taker of group) {
          for (let look = 1; ; look++) {
            const most = bounds.get(taker) ?? 0;
            const took = await least(() => taker.take(worst), most);
            if (took <= most) break;
            if (look === LOOKS)
              return `${taker.name} took ${took} ms over ${name} of ${length} units, and at most ${most} ms were in proportion`;
            // The machine may have become slower since its bound was measured.
            bounds.set(taker, Math.max(most, await mostOf(taker, await passOver())));
          }
        }
      }
    }
  }
  return null;
}

function groupsOf<T>(takers: readonly T[]): T[][] {
  const count = Math.ceil(takers.length / TOGETHER);
  return Array.from({ length: count }, (_, at) => takers.slice(at * TOGETHER, (at + 1) * TOGETHER));
}

async function takeAll<T>(takers: readonly Taker<T>[], content: T): Promise<void> {
  for (const { take } of takers) await take(content);
}

/**
 * Milliseconds of processor time of the fastest of several runs, or of the first run within
 * `enough`. Other processes do not affect it.
 */
async function least(work: () => unknown, enough: number): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && fastest > enough; run++) fastest = Math.min(fastest, await timeOf(work));
  return fastest;
}

/** Milliseconds of processor time. */
async function timeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
