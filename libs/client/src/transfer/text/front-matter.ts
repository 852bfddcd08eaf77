// Heads in YAML between lines of hyphens, at the beginning of Markdown and Mermaid.

/** The index of the last line of the head; -1 if there is none. */
export function endOfFrontMatter(lines: readonly string[]): number {
  if (lines[0]?.trim() !== '---') return -1;
  return lines.findIndex((line, index) => index > 0 && line.trim() === '---');
}
