// Prints the losses of an import or export: for each kind, the count and the first places.
import type { TransferLoss } from '@taskgraph/client/transfer';
import type { Output } from './output.ts';

/** The most places listed for each kind; `--json` lists all. */
const MAXIMUM_LISTED = 5;

export function noteLosses(output: Output, leftOut: readonly TransferLoss[]): void {
  if (leftOut.length === 0) return;
  const total = leftOut.reduce((sum, { count }) => sum + count, 0);
  output.note(`left out: ${total}`);
  for (const { what, count, places } of leftOut) {
    const more = count > MAXIMUM_LISTED ? `, and ${count - MAXIMUM_LISTED} more (--json lists all)` : '';
    output.note(`  ${count} × ${what}: ${places.slice(0, MAXIMUM_LISTED).join(', ')}${more}`);
  }
}
