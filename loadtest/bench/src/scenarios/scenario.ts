// The parts of a scenario. Several scenarios may come from one measurement, whose figures are then of one run.
import type { Goal, Result } from '../report/result.ts';
import type { BenchStack, Topology } from '../stack/bench-stack.ts';

/** How long things go on. */
export interface Pace {
  readonly quick: boolean;
  /** Most that a warm-up may take. */
  readonly warmUpLimitMs: number;
  readonly turnMs: number;
  /** Turns of each side that are measured. */
  readonly turns: number;
  /** Sizes that take long to plant, such as a million nodes. */
  readonly large: boolean;
}

export interface Bench {
  readonly pace: Pace;
  /** Tells people how far it is. */
  readonly note: (line: string) => void;
}

/** Gives the lines of all its scenarios. One with `stack` runs on a stack that it may share with others; one without starts its own. */
export type Measurement =
  | { readonly stack: Topology; readonly run: (bench: Bench, stack: BenchStack) => Promise<Result[]> }
  | { readonly stack: null; readonly run: (bench: Bench) => Promise<Result[]> };

export interface Scenario {
  readonly name: string;
  /** Ours against what, for people. */
  readonly compares: string;
  /** None where a figure is reported and not judged. */
  readonly goals: readonly Goal[];
  readonly measurement: Measurement;
  /** Whether `--quick` without names runs it: together they end within four minutes. */
  readonly isQuick: boolean;
}

/** Lines belong to the scenario whose name they begin with. */
export function isOf(name: string, { scenario }: Pick<Result, 'scenario'>): boolean {
  return scenario.split(' ')[0] === name;
}
