// The types of a scenario. Several scenarios may share one measurement, and then their figures come
// from one run.
import type { Goal, Result } from './report/result.ts';
import type { BenchStack, Topology } from './stack/bench-stack.ts';

/** Durations and sizes of a run. */
export interface Pace {
  readonly quick: boolean;
  /** The limit of a warm-up. */
  readonly warmUpLimitMs: number;
  readonly turnMs: number;
  /** Measured turns of each side. */
  readonly turns: number;
  /** Includes sizes that take long to create, such as a million nodes. */
  readonly large: boolean;
}

export interface Bench {
  readonly pace: Pace;
  /** Reports progress. */
  readonly note: (line: string) => void;
}

/**
 * Returns the results of all its scenarios. One with `stack` runs on a stack that it may share; one
 * without starts its own.
 */
export type Measurement =
  | { readonly stack: Topology; readonly run: (bench: Bench, stack: BenchStack) => Promise<Result[]> }
  | { readonly stack: null; readonly run: (bench: Bench) => Promise<Result[]> };

export interface Scenario {
  readonly name: string;
  /** A description of the comparison, for the usage text. */
  readonly compares: string;
  /** Empty for a figure without a goal. */
  readonly goals: readonly Goal[];
  readonly measurement: Measurement;
  /** Whether `--quick` without names runs it. These scenarios together end within four minutes. */
  readonly isQuick: boolean;
}

/** A result belongs to the scenario whose name it begins with. */
export function isOf(name: string, { scenario }: Pick<Result, 'scenario'>): boolean {
  return scenario.split(' ')[0] === name;
}
