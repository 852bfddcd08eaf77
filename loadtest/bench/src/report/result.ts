// The lines of figures that a scenario reports, ours against a baseline that ran in turn with it, and the goals that they are held against.
import type { Cpu } from '../measure/cpu.ts';
import { round } from '../measure/figures.ts';
import type { WarmUp } from '../measure/steadiness.ts';

export interface Result {
  /** The scenario's name, and what the line is about where a scenario has several: `graph-page owner cold`. */
  readonly scenario: string;
  readonly ours: number;
  readonly baseline: number;
  /** The only figure that can be compared between machines and days. Which is divided by which is the scenario's. */
  readonly ratio: number;
  readonly unit: string;
  /** Milliseconds an operation of each process, by side and role. */
  readonly cpu: Readonly<Record<string, Cpu>>;
  /** Null where nothing has to come to rest. */
  readonly warmUp: WarmUp | null;
  /** Further facts, for people. */
  readonly notes: readonly string[];
}

interface Given extends Pick<Result, 'scenario' | 'ours' | 'baseline' | 'unit'> {
  /** Ours divided by the baseline, if not said otherwise. */
  readonly ratio?: number;
  readonly cpu?: Result['cpu'];
  readonly warmUp?: WarmUp | null;
  readonly notes?: readonly string[];
}

export function resultOf(given: Given): Result {
  const { scenario, ours, baseline, unit, ratio = ours / baseline, cpu = {}, warmUp = null, notes = [] } = given;
  const sides = Object.entries(cpu).map(([side, roles]) => [side, roundAll(roles)]);
  return {
    ...{ scenario, ours: round(ours), baseline: round(baseline), ratio: round(ratio), unit },
    ...{ cpu: Object.fromEntries(sides), warmUp, notes },
  };
}

function roundAll(cpu: Cpu): Cpu {
  return Object.fromEntries(Object.entries(cpu).map(([role, ms]) => [role, round(ms)]));
}

/** A bound that a ratio is to reach. */
export interface Goal {
  /** A word of the line's name; the goal of all lines if not given. */
  readonly of?: string;
  readonly direction: 'at least' | 'at most';
  readonly reach: number;
}

export function atLeast(reach: number, of?: string): Goal {
  return { direction: 'at least', reach, ...(of === undefined ? {} : { of }) };
}

export function atMost(reach: number, of?: string): Goal {
  return { direction: 'at most', reach, ...(of === undefined ? {} : { of }) };
}

/** Whether a line has reached the first goal that is about it; null where none is. A ratio that could not be measured has not. */
export function verdictOf(
  { scenario, ratio }: Result,
  goals: readonly Goal[],
): { goal: Goal; reached: boolean } | null {
  const words = scenario.split(' ');
  const goal = goals.find(({ of }) => of === undefined || words.includes(of));
  if (goal === undefined) return null;
  return { goal, reached: goal.direction === 'at least' ? ratio >= goal.reach : ratio <= goal.reach };
}
