// Formats results as one line of JSON each, or as sentences.
import type { Versions } from '../stack/versions.ts';
import { type Goal, type Result, verdictOf } from './result.ts';

/** One line, with the figures before their explanation. */
export function jsonLine(result: Result, quick: boolean, versions: Versions): string {
  const { scenario, ours, baseline, ratio, unit, cpu, warmUp, notes } = result;
  return JSON.stringify({ scenario, ours, baseline, ratio, unit, cpu, warmUp, quick, notes, versions });
}

export function sentences(result: Result, goals: readonly Goal[], quick: boolean): string[] {
  const { scenario, ours, baseline, ratio, unit, cpu, warmUp, notes } = result;
  const verdict = verdictOf(result, goals);
  const judged =
    verdict === null
      ? ''
      : ` (${verdict.reached ? 'reached' : 'missed'}: ${verdict.goal.direction} ${verdict.goal.bound})`;
  const sides = Object.entries(cpu).map(
    ([side, roles]) =>
      `  CPU ms an operation: ${side} ${Object.entries(roles)
        .map(([role, ms]) => `${role} ${ms}`)
        .join(', ')}`,
  );
  return [
    `${scenario}: ours ${ours} ${unit}, baseline ${baseline} ${unit}, ratio ${ratio}${judged}`,
    ...sides,
    ...(warmUp === null ? [] : [`  ${warmUp.steady ? 'steady' : 'NOT steady'} after ${warmUp.seconds} s of warm-up`]),
    ...(quick ? ['  quick figures are not steady: they show that it runs, not how fast'] : []),
    ...notes.map((line) => `  ${line}`),
  ];
}
