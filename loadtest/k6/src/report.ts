// The results of the limits as a table for the terminal and for docs/limits.md.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import type { LimitResult } from './limits.ts';

const DOCUMENT = join(REPOSITORY, 'docs', 'limits.md');
const [BEGIN, END] = ['<!-- measured: npm run loadtest -- limits -->', '<!-- end of measured -->'];

/** The table in Markdown, which is readable in a terminal too. */
export function tableOf(results: readonly LimitResult[]): string {
  const head = ['Limit', 'Over', 'Calls', 'Seconds', 'Sent', 'Let in'];
  const rows = results.map(({ limit, way, points, seconds, sent, admitted, ok }) => [
    `\`${limit}\``,
    ...[way, points, seconds, sent].map(String),
    ok ? String(admitted) : `${admitted}: not kept`,
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Replaces the text between the two marks of a document; throws if they are missing. */
export function withTable(document: string, table: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the marks of the table are missing in ${DOCUMENT}`);
  return `${document.slice(0, begin + BEGIN.length)}\n${table}\n${document.slice(end)}`;
}

export async function writeTable(table: string): Promise<void> {
  await writeFile(DOCUMENT, withTable(await readFile(DOCUMENT, 'utf8'), table));
}
