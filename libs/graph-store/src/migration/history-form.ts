// The form in which workers write history. The release before this one reads only the separate
// form, so a database that it may still serve keeps that form until an operator or the next release
// changes it.
import { HISTORY_FORMS, type HistoryForm } from '../commit/history-rows.ts';
import type { Database } from '../driver/database.ts';

/** In: nothing. Out: form. Locks: none. Cost: constant. */
const READ_FORM = "MATCH (s:Schema {id: 1}) RETURN coalesce(s.historyForm, 'separate') AS form";

/** In: nothing. Out: nothing. Locks: the Schema node. Cost: constant. */
export const CHOOSE_MERGED_FORM = "MATCH (s:Schema {id: 1}) SET s.historyForm = 'merged'";

/**
 * The form that the Schema node stores. A worker reads it once, before it serves. Throws if a later
 * release stored a form that this one does not know.
 */
export async function readHistoryForm(database: Database): Promise<HistoryForm> {
  const [row] = await database.read(READ_FORM, {});
  const form = row?.form ?? 'separate';
  if (!isHistoryForm(form)) throw new Error(`this release does not know the form of history ${String(form)}.`);
  return form;
}

export function isHistoryForm(form: unknown): form is HistoryForm {
  return HISTORY_FORMS.some((known) => known === form);
}

/** Makes workers that start from now on write the merged form. Written history stays as it is. */
export async function chooseMergedHistory(database: Database): Promise<void> {
  await database.write(CHOOSE_MERGED_FORM, {});
}
