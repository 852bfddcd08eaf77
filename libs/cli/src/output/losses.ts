// The things that could not be carried over, for people: how often, and the first places of each kind.
import type { LeftOut } from '@taskgraph/client/transfer';
import type { Output } from './output.ts';

/** Places of a kind that are listed; `--json` lists all. */
const MOST_LISTED = 5;

export function noteLosses(output: Output, leftOut: readonly LeftOut[]): void {
  if (leftOut.length === 0) return;
  const total = leftOut.reduce((sum, { count }) => sum + count, 0);
  output.note(`left out: ${total}`);
  for (const { what, count, places } of leftOut) {
    const more = count > MOST_LISTED ? `, and ${count - MOST_LISTED} more (--json lists all)` : '';
    output.note(`  ${count} × ${what}: ${places.slice(0, MOST_LISTED).join(', ')}${more}`);
  }
}
