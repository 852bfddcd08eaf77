// The remedies of codes as plain text, for terminals and models.
import { ERRORS } from './error-codes.ts';

/** The remedy for each code. `<field>` is a placeholder for the name of a field. */
export const REMEDIES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ERRORS).map(([code, { remedy }]) => [code, withoutLinks(remedy)]),
);

/** A terminal has no use for the address of a document. */
function withoutLinks(text: string): string {
  // Backtracks: the text is one of ours.
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
