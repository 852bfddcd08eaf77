// The turn to read long texts of history: one read at a time has it.
import type { PageBudget, Release } from './page-budget.ts';
import { BudgetExhausted } from './read-handler.ts';

/** The turn for long texts. The first long text takes it, and the end of the read releases it. */
export function turnOf(pages: PageBudget): { take(): Promise<void>; putBack(): void } {
  let taken: Release | null = null;
  return {
    async take() {
      taken ??= await pages.takeLong();
      if (taken === null) throw new BudgetExhausted('long changes of history wait for their turn');
    },
    putBack: () => taken?.(),
  };
}
