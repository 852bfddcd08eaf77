// The permit to read long texts of history: one read at a time has it.
import type { PageBudget, Release } from './page-budget.ts';
import { BudgetExhausted } from './read-handler.ts';

/** The permit of a read. Its first long text acquires it, and its end releases it. */
export function createLongReadPermit(pages: PageBudget): { acquire(): Promise<void>; release(): void } {
  let release: Release | null = null;
  return {
    async acquire() {
      release ??= await pages.takeLong();
      if (release === null) throw new BudgetExhausted('long changes of history wait for their turn');
    },
    release: () => release?.(),
  };
}
