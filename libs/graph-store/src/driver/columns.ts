// Lists of fields in the text of statements, wrapped, so that people can read them in logs and
// plans.

/** Joins parts of a list in lines of this indent, each with at most this number of parts. */
export function wrapped(parts: readonly string[], perLine: number, indent: string): string {
  const lines: string[] = [];
  for (let at = 0; at < parts.length; at += perLine) lines.push(parts.slice(at, at + perLine).join(', '));
  return lines.join(`,\n${indent}`);
}
