// The worst texts for a field, a header or a token, in any length, and a measurement of their time.

/** Bytes of the longest body; no header and no frame is longer. */
export const LONGEST = 256 * 1024;

/**
 * Texts that a pattern may go wrong at: something to begin with, what is repeated, and what spoils
 * it in the end.
 */
type Shape = readonly [before: string, repeated: string, after: string];

/**
 * The repeated part: what patterns of names, times, addresses, numbers, headers and encodings look
 * for.
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
  // Texts that grow when they are folded or normalised, marks that pile up, halves of pairs, and
  // what stands outside the first plane.
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

/** Each repeated piece alone and spoilt, and the most telling ones behind each beginning. */
const SHAPES: readonly Shape[] = [
  ...REPEATED.flatMap((repeated) => AFTER.map((after): Shape => ['', repeated, after])),
  ...BEFORE.slice(1).flatMap((before) =>
    ['a', ' ', '0', '-', '.', ',', '/', '+00', '\u4e00'].map((repeated): Shape => [before, repeated, '!']),
  ),
];

/** A text of this shape with so many UTF-16 units, or a few less. */
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
 * Lengths in ascending order: what grows faster than the text shows on the short ones already, and
 * the test ends there.
 */
const LENGTHS = [8 * 1024, LONGEST] as const;
/** A taker that seems slow is looked at so often, each time beside a harmless text. */
const LOOKS = 3;

/**
 * How much longer the worst may take than the harmless: reading, decoding and refusing differ by a
 * few times, and no more.
 */
const MOST_TIMES = 100;
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
 * A line for the first that takes out of all proportion longer over one of the contents than over a
 * harmless text of the same length, which is granted one look at each character besides. There it
 * ends, since others may take hours.
 */
export async function disproportionate<T>(
  takers: readonly Taker<T>[],
  contents: readonly Content<T>[],
  harmless: (length: number) => T,
): Promise<string | null> {
  for (const length of LENGTHS) {
    const [plain, text] = [harmless(length), 'a'.repeat(length)];
    const mostOf = async (taker: Taker<T>) =>
      MOST_TIMES * ((await least(() => JSON.stringify(text), 0)) + (await least(() => taker.take(plain), 0)));
    const bounds = new Map<Taker<T>, number>();
    for (const taker of takers) bounds.set(taker, await mostOf(taker));
    for (const { name, of } of contents) {
      const worst = of(length);
      for (const taker of takers) {
        for (let look = 1; ; look++) {
          const most = bounds.get(taker) ?? 0;
          const took = await least(() => taker.take(worst), most);
          if (took <= most) break;
          if (look === LOOKS)
            return `${taker.name} took ${took} ms over ${name} of ${length} units, and at most ${most} ms were in proportion`;
          // The machine may have become slower since its bound was measured.
          bounds.set(taker, Math.max(most, await mostOf(taker)));
        }
      }
    }
  }
  return null;
}

/**
 * Milliseconds of processor time of the fastest of several runs, or of the first that takes at most
 * `enough`. Other processes do not change it.
 */
async function least(work: () => unknown, enough: number): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && fastest > enough; run++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    fastest = Math.min(fastest, (user + system) / 1_000);
  }
  return fastest;
}
