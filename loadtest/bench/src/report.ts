// How a benchmark reports: one line of figures a scenario, ours against a baseline that ran in turn with it.

export interface Result {
  readonly scenario: string;
  readonly ours: number;
  readonly baseline: number;
  /** Ours divided by baseline: the only figure that can be compared between machines and days. */
  readonly ratio: number;
  readonly unit: string;
  /** Names of the two figures, for people: the service and the baseline if not said otherwise. */
  readonly of?: readonly [string, string];
}

/** Makes a result of two rates. */
export function resultOf(scenario: string, ours: number, baseline: number, unit: string): Result {
  return { scenario, ours: round(ours), baseline: round(baseline), ratio: round(ours / baseline), unit };
}

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}

/** Prints results as JSON lines, or as sentences for people. */
export function printResults(results: readonly Result[], json: boolean): void {
  for (const result of results) {
    if (json) console.log(JSON.stringify(result));
    else {
      const { scenario, ours, baseline, ratio, unit, of: [one, other] = ['ours', 'baseline'] } = result;
      console.log(`${scenario}: ${one} ${ours} ${unit}, ${other} ${baseline} ${unit}, ratio ${ratio}`);
    }
  }
}
