// Writers on the bare driver: they share its pool, as the requests of a server would.

import { createWriters, type WriterActs } from '../clients/writers.ts';
import type { Access } from '../planting.ts';
import { openBaseline } from './baseline.ts';

export async function openBaselineWriters(options: { access: Access; owners: number }): Promise<WriterActs> {
  const baseline = await openBaseline(options.access, options.owners);
  return createWriters(options.owners, () => baseline);
}
