// Whether a figure is steady. A database compiles its code for minutes, and ratios measured
// meanwhile are meaningless.

/** This many consecutive turns must agree. */
const TURNS = 3;
/** The largest permitted difference between them, as a share of the largest. */
const TENTH = 0.1;

/** Whether the last three figures lie within a tenth of each other. */
export function isSteady(figures: readonly number[]): boolean {
  if (figures.length < TURNS) return false;
  const last = figures.slice(-TURNS);
  const most = Math.max(...last);
  return most > 0 && most - Math.min(...last) <= most * TENTH;
}

/** The outcome of a warm-up: its duration, and whether all sides became steady within the limit. */
export interface WarmUp {
  readonly seconds: number;
  readonly steady: boolean;
}

/**
 * One function for each side of a comparison. It runs a turn and returns the figure that must
 * become steady.
 */
export type WarmUpSides = Readonly<Record<string, () => Promise<number>>>;

interface WarmUpOptions {
  /**
   * The least duration. Turns that send few statements may agree long before the database has
   * compiled its code.
   */
  readonly leastMs?: number;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
}

/** Runs turns of all sides until each is steady, or until the limit. */
export async function warmUp(
  sides: WarmUpSides,
  limitMs: number,
  note: (line: string) => void,
  { leastMs = 0, nowMs = () => performance.now() }: WarmUpOptions = {},
): Promise<WarmUp> {
  const startedAt = nowMs();
  const figures = new Map(Object.keys(sides).map((name) => [name, [] as number[]]));
  const areSteady = () => [...figures.values()].every(isSteady);
  const passedMs = () => nowMs() - startedAt;
  while ((!areSteady() || passedMs() < leastMs) && passedMs() < limitMs) {
    for (const [name, turn] of Object.entries(sides)) figures.get(name)?.push(await turn());
  }
  const outcome = { seconds: Math.round(passedMs() / 100) / 10, steady: areSteady() };
  const last = [...figures]
    .map(([name, values]) => `${name} ${values.slice(-TURNS).map(formatFigure).join(', ')}`)
    .join('; ');
  note(`${outcome.steady ? 'steady' : 'NOT steady'} after ${outcome.seconds} s: ${last}`);
  return outcome;
}

/** Combines the warm-ups of one result: it is steady if all of them are. */
export function combineWarmUps(warmUps: readonly WarmUp[]): WarmUp {
  return {
    seconds: warmUps.reduce((sum, { seconds }) => sum + seconds, 0),
    steady: warmUps.every(({ steady }) => steady),
  };
}

function formatFigure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
