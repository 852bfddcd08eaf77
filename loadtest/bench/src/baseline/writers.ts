// Writers on the bare driver. They share its pool, as a server's requests would.

import { createWriters, type WriterActs } from '../clients/writers.ts';
import type { DatabaseAccess } from '../direct-writes.ts';
import { openBaseline } from './baseline.ts';

export async function openBaselineWriters(options: { access: DatabaseAccess; owners: number }): Promise<WriterActs> {
  const baseline = await openBaseline(options.access, options.owners);
  return createWriters(options.owners, () => baseline);
}
