// Whether a figure has come to rest: a database compiles its code for minutes, and a ratio taken meanwhile says nothing.

/** So many turns in a row have to agree. */
const TURNS = 3;
/** By how much of the largest the smallest of them may lag behind. */
const TENTH = 0.1;

/** Whether the last three figures lie within a tenth of each other. */
export function isSteady(figures: readonly number[]): boolean {
  if (figures.length < TURNS) return false;
  const last = figures.slice(-TURNS);
  const most = Math.max(...last);
  return most > 0 && most - Math.min(...last) <= most * TENTH;
}

/** The outcome of a warm-up: whether all sides came to rest within its bound, and how long it took. */
export interface WarmUp {
  readonly seconds: number;
  readonly steady: boolean;
}

/** One side of a comparison: a turn gives the figure by which it is known to be steady, a rate or a time. */
export type Warming = Readonly<Record<string, () => Promise<number>>>;

/** Lets the sides take turns until each is steady, or until the bound is reached. `nowMs` is a clock that never steps back. */
export async function warmUp(
  sides: Warming,
  limitMs: number,
  note: (line: string) => void,
  nowMs: () => number = () => performance.now(),
): Promise<WarmUp> {
  const startedAt = nowMs();
  const figures = new Map(Object.keys(sides).map((name) => [name, [] as number[]]));
  const areSteady = () => [...figures.values()].every(isSteady);
  while (!areSteady() && nowMs() - startedAt < limitMs) {
    for (const [name, turn] of Object.entries(sides)) figures.get(name)?.push(await turn());
  }
  const outcome = { seconds: Math.round((nowMs() - startedAt) / 100) / 10, steady: areSteady() };
  const last = [...figures].map(([name, values]) => `${name} ${values.slice(-TURNS).map(shown).join(', ')}`).join('; ');
  note(`${outcome.steady ? 'steady' : 'NOT steady'} after ${outcome.seconds} s: ${last}`);
  return outcome;
}

/** The warm-ups of a result that has several: it is as steady as the least steady of them. */
export function together(warmUps: readonly WarmUp[]): WarmUp {
  return {
    seconds: warmUps.reduce((sum, { seconds }) => sum + seconds, 0),
    steady: warmUps.every(({ steady }) => steady),
  };
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
