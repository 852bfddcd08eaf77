// A scenario's results, each the service against a baseline that ran in turn with it, and the goals
// for them.
import type { Cpu } from '../measure/cpu.ts';
import { round } from '../measure/figures.ts';
import type { WarmUp } from '../measure/steadiness.ts';

export interface Result {
  /** The scenario's name, and the variant if it has several: `graph-page owner cold`. */
  readonly scenario: string;
  readonly ours: number;
  readonly baseline: number;
  /**
   * The only figure that is comparable between machines and days. The scenario defines the
   * quotient.
   */
  readonly ratio: number;
  readonly unit: string;
  /** Milliseconds per operation of each process, by side and role. */
  readonly cpu: Readonly<Record<string, Cpu>>;
  /** Null without a warm-up. */
  readonly warmUp: WarmUp | null;
  /** Additional facts for the reader. */
  readonly notes: readonly string[];
}

interface ResultInput extends Pick<Result, 'scenario' | 'ours' | 'baseline' | 'unit'> {
  /** Default: ours divided by the baseline. */
  readonly ratio?: number;
  readonly cpu?: Result['cpu'];
  readonly warmUp?: WarmUp | null;
  readonly notes?: readonly string[];
}

export function resultOf(input: ResultInput): Result {
  const { scenario, ours, baseline, unit, ratio = ours / baseline, cpu = {}, warmUp = null, notes = [] } = input;
  const sides = Object.entries(cpu).map(([side, roles]) => [side, roundAll(roles)]);
  return {
    scenario,
    ours: round(ours),
    baseline: round(baseline),
    ratio: round(ratio),
    unit,
    cpu: Object.fromEntries(sides),
    warmUp,
    notes,
  };
}

function roundAll(cpu: Cpu): Cpu {
  return Object.fromEntries(Object.entries(cpu).map(([role, ms]) => [role, round(ms)]));
}

/** A bound for a ratio. */
export interface Goal {
  /** It applies to results whose name contains all of these words. */
  readonly words: readonly string[];
  readonly direction: 'at least' | 'at most';
  readonly bound: number;
}

export function atLeast(bound: number, ...words: string[]): Goal {
  return { direction: 'at least', bound, words };
}

export function atMost(bound: number, ...words: string[]): Goal {
  return { direction: 'at most', bound, words };
}

/**
 * Whether a result meets the first goal that applies to it; null if none applies. A ratio that
 * could not be measured misses its goal.
 */
export function verdictOf(
  { scenario, ratio }: Result,
  goals: readonly Goal[],
): { goal: Goal; reached: boolean } | null {
  const name = scenario.split(' ');
  const goal = goals.find(({ words }) => words.every((word) => name.includes(word)));
  if (goal === undefined) return null;
  return { goal, reached: goal.direction === 'at least' ? ratio >= goal.bound : ratio <= goal.bound };
}
