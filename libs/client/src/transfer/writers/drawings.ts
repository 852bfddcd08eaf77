// Drawings of the graph for other programs: Mermaid and DOT. Titles are texts in both, whatever is in them. Rule: IO2.

import { onOneLine } from '../control-characters.ts';
import { createLedger, placeOf, type TransferGraph, type TransferNode, type Written } from '../model.ts';

const CLASSES = ['available', 'inProgress', 'blocked', 'completed'] as const;
const COLOURS = ['#d7f0db', '#fff2cc', '#f8d7da', '#e2e3e5'] as const;
const LOST = 'all of a task but its title and status';

/** A flow chart: an arrow leads from a task to the one that it blocks, dashed where it does not block. */
export function writeMermaid(graph: TransferGraph): Written {
  const nameOf = namesOf(graph.nodes);
  const nodes = graph.nodes.map(
    (node) => `  ${nameOf(node.key)}["${mermaidText(node.title)}"]:::${CLASSES[node.status]}`,
  );
  const links = graph.links.map(
    ({ source, target, type }) => `  ${nameOf(source)} ${type === 0 ? '-->' : '-.->'} ${nameOf(target)}`,
  );
  const classes = CLASSES.map((name, status) => `  classDef ${name} fill:${COLOURS[status]},stroke:#555,color:#111`);
  return { text: ['flowchart BT', ...classes, ...nodes, ...links, ''].join('\n'), leftOut: leftOutOf(graph.nodes) };
}

/** Keys are whatever a file had: names are numbers, in the order of the nodes. */
function namesOf(nodes: readonly TransferNode[]): (key: string) => string {
  const numbers = new Map(nodes.map(({ key }, index) => [key, index + 1]));
  return (key) => `n${numbers.get(key) ?? 0}`;
}

/** All that Mermaid, Markdown or HTML could take for a mark is written as the number of its character; so is what begins a list of Markdown. */
function mermaidText(title: string): string {
  const safe = onOneLine(title)
    .trim()
    .replaceAll(/[^\p{L}\p{N} .,:/-]/gu, (character) => `#${character.codePointAt(0)};`)
    .replace(/^-|(?<=^\d+)\./, (character) => `#${character.codePointAt(0)};`);
  return safe === '' ? ' ' : safe;
}

/** A directed graph, for `dot`. */
export function writeDot(graph: TransferGraph): Written {
  const nameOf = namesOf(graph.nodes);
  const nodes = graph.nodes.map(
    (node) => `  ${nameOf(node.key)} [label="${dotText(node.title)}", fillcolor="${COLOURS[node.status]}"];`,
  );
  const links = graph.links.map(
    ({ source, target, type }) => `  ${nameOf(source)} -> ${nameOf(target)}${type === 0 ? '' : ' [style=dashed]'};`,
  );
  const head = ['digraph taskgraph {', '  rankdir=BT;', '  node [shape=box, style="rounded,filled"];'];
  return { text: [...head, ...nodes, ...links, '}', ''].join('\n'), leftOut: leftOutOf(graph.nodes) };
}

/** Within quotes a quote and a backslash alone mean something, and so do entities of HTML. */
function dotText(title: string): string {
  return onOneLine(title).trim().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('&', '&amp;');
}

function leftOutOf(nodes: readonly TransferNode[]): Written['leftOut'] {
  const ledger = createLedger();
  for (const node of nodes) ledger.note(LOST, placeOf(node));
  return ledger.list();
}
