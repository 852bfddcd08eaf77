// The lines of a diagram of Mermaid without its comments. Rule: IO2.
import { endOfFrontMatter } from '../../text/front-matter.ts';

/** A line of a diagram, or several with a text in quotes over them. */
export interface DiagramLine {
  readonly line: number;
  readonly text: string;
}

/** The lines, and the places of comments, directives and lines of a head in YAML. */
export function diagramLines(all: readonly string[]) {
  const end = endOfFrontMatter(all);
  const lines: DiagramLine[] = [];
  const comments: string[] = [];
  let open: { line: number; parts: string[] } | null = null;
  for (const [index, raw] of all.entries()) {
    const text = raw.trim();
    if (text === '' || (index <= end && text === '---')) continue;
    if (open === null && (index <= end || text.startsWith('%%'))) {
      comments.push(`line ${index + 1}: ${text.slice(0, 100)}`);
      continue;
    }
    open ??= { line: index + 1, parts: [] };
    open.parts.push(text);
    // A text in quotes may go on in the next lines.
    const isOpen = open.parts.length === 1 ? hasOpenQuote(text) : !hasOpenQuote(text);
    if (isOpen && index < all.length - 1) continue;
    lines.push({ line: open.line, text: open.parts.join(' ') });
    open = null;
  }
  if (open !== null) lines.push({ line: open.line, text: open.parts.join(' ') });
  return { lines, comments };
}

function hasOpenQuote(text: string): boolean {
  return text.split('"').length % 2 === 0;
}
