// Mutations of a sample file: reading them ends soon, throws nothing but a BrokenFile, and neither
// makes nor reports nothing of a word that was added. Rule: IO2.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type ImportFormat, readFile } from '../../transfer/formats.ts';
import { BrokenFile, type TransferGraph } from '../../transfer/graph/transfer-graph.ts';

/** Not part of any format, and of letters and digits only. */
const MARK = 'zqjx7';

/** The graph; null if the file is refused. */
function graphOf(text: string, format: ImportFormat): TransferGraph | null {
  try {
    return readFile(text, format);
  } catch (error) {
    if (error instanceof BrokenFile) return null;
    throw error;
  }
}

function lossesIn({ leftOut }: TransferGraph): string[] {
  return leftOut.flatMap(({ what, places }) => places.map((place) => `${what}: ${place}`));
}

/**
 * Adds a word at every offset of the sample. It is in a field of a task or in the report, or the
 * report has another loss, or the file is refused. `reported` matches the parts of the sample that
 * its report covers already, and comments.
 */
export function checkAddedWords(sample: string, format: ImportFormat, reported: RegExp = /(?!)/g) {
  const before = new Set(lossesIn(readFile(sample, format)));
  const covered = new Set<number>();
  for (const { index, 0: part } of sample.matchAll(reported)) {
    for (let at = index; at <= index + part.length; at++) covered.add(at);
  }
  const lost: string[] = [];
  for (let at = 0; at <= sample.length; at++) {
    if (covered.has(at)) continue;
    const graph = graphOf(sample.slice(0, at) + MARK + sample.slice(at), format);
    if (graph === null || lossesIn(graph).some((loss) => !before.has(loss))) continue;
    const content = JSON.stringify([graph.nodes, graph.links, graph.leftOut]).toLowerCase();
    if (!content.includes(MARK)) lost.push(`${sample.slice(Math.max(0, at - 30), at)}|${sample.slice(at, at + 20)}`);
  }
  expect(lost).toEqual([]);
}

/** Cuts, repeats and replaces parts of the sample, and adds characters with a meaning in the format. */
export function checkMutations(sample: string, format: ImportFormat, signs: readonly string[]) {
  const mutation = fc.tuple(
    fc.nat(sample.length),
    fc.nat(12),
    fc.constantFrom(...signs, '', '\0', '\ud800', '\n', '"', '\\'),
  );
  const property = fc.property(fc.array(mutation, { minLength: 1, maxLength: 8 }), fc.nat(3), (mutations, repeats) => {
    let text = sample;
    for (const [at, length, sign] of mutations) text = text.slice(0, at) + sign + text.slice(at + length);
    const graph = graphOf(text + text.slice(0, repeats * 20), format);
    if (graph === null) return;
    const keys = new Set(graph.nodes.map(({ key }) => key));
    expect(graph.links.filter(({ source, target }) => !keys.has(source) || !keys.has(target))).toEqual([]);
  });
  fc.assert(property, { numRuns: runs(300) });
}
