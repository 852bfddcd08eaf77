// Texts in quotes within JSON of any length.

/** The offset of the quote that ends the text which begins at `start`; the end if there is none. */
export function endQuoteOf(text: string, start: number, end = text.length): number {
  for (let at = start + 1; at < end; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return end;
}
