// Parses the command line.
import { parseArgs } from 'node:util';
import type { Pace, Scenario } from './scenario.ts';

export interface BenchOptions {
  readonly scenarios: readonly Scenario[];
  readonly json: boolean;
  /** Exits with an error if a goal is missed. */
  readonly strict: boolean;
  readonly pace: Pace;
}

const FULL = { warmUpLimitMs: 300_000, turnMs: 4_000, turns: 5 };
const QUICK = { warmUpLimitMs: 10_000, turnMs: 1_500, turns: 2 };

/** Throws with the usage if no scenario is named, or an unknown one. */
export function readOptions(commandLine: readonly string[], all: readonly Scenario[]): BenchOptions {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...commandLine],
    allowPositionals: true,
    options: { json: flag, quick: flag, large: flag, strict: flag },
  });
  const { json, quick, large, strict } = values;
  const pace = { quick, large, ...(quick ? QUICK : FULL) };
  return { scenarios: choose(positionals, quick, all), json, strict, pace };
}

function choose(names: readonly string[], quick: boolean, all: readonly Scenario[]): readonly Scenario[] {
  if (names.length === 0 && quick) return all.filter(({ isQuick }) => isQuick);
  if (names.includes('all')) return all;
  const unknown = names.find((name) => !all.some((scenario) => scenario.name === name));
  if (names.length === 0 || unknown !== undefined) throw new Error(usageOf(unknown, all));
  return all.filter(({ name }) => names.includes(name));
}

function usageOf(unknown: string | undefined, all: readonly Scenario[]): string {
  const width = Math.max(...all.map(({ name }) => name.length));
  return [
    ...(unknown === undefined ? [] : [`there is no scenario ${unknown}`]),
    'usage: npm run bench -- all|SCENARIO... [--json] [--quick] [--large] [--strict]',
    '  --quick   ends within four minutes with unsteady figures; without names it runs the short scenarios',
    '  --large   adds a graph of a million nodes to growth',
    '  --strict  exits with an error if a goal is missed',
    ...all.map(({ name, compares }) => `  ${name.padEnd(width)}  ${compares}`),
  ].join('\n');
}
