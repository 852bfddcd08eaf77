// Draws the graph in Mermaid and in DOT. Titles are escaped, so that they never act as markup.
// Rule: IO2.

import { onOneLine } from '@taskgraph/wire/control-characters';
import { CLASS_STYLE, STATUS_CLASSES, STATUS_COLOURS } from '../graph/drawing-styles.ts';
import type { TransferGraph, TransferNode } from '../graph/transfer-graph.ts';

/**
 * A flow chart. An arrow leads from a task to the task that it blocks; arrows of secondary links
 * are dashed.
 */
export function writeMermaid(graph: TransferGraph): string {
  const nameOf = nodeNames(graph.nodes);
  const nodes = graph.nodes.map(
    (node) => `  ${nameOf(node.key)}["${mermaidText(node.title)}"]:::${STATUS_CLASSES[node.status]}`,
  );
  const links = graph.links.map(
    ({ source, target, type }) => `  ${nameOf(source)} ${type === 0 ? '-->' : '-.->'} ${nameOf(target)}`,
  );
  const classes = STATUS_CLASSES.map(
    (name, status) => `  classDef ${name} fill:${STATUS_COLOURS[status]},${CLASS_STYLE}`,
  );
  return ['flowchart BT', ...classes, ...nodes, ...links, ''].join('\n');
}

/** Numbers the nodes, because keys can have any characters. */
function nodeNames(nodes: readonly TransferNode[]): (key: string) => string {
  const numbers = new Map(nodes.map(({ key }, index) => [key, index + 1]));
  return (key) => `n${numbers.get(key) ?? 0}`;
}

/** Writes each character that Mermaid, Markdown or HTML could interpret as its number. */
function mermaidText(title: string): string {
  const safe = onOneLine(title)
    .trim()
    .replaceAll(/[^\p{L}\p{N} .,:/-]/gu, (character) => `#${character.codePointAt(0)};`)
    // `- a` and `1. a` would begin a list.
    .replace(/^-|(?<=^\d+)\./, (character) => `#${character.codePointAt(0)};`);
  return safe === '' ? ' ' : safe;
}

/** A directed graph, for `dot`. */
export function writeDot(graph: TransferGraph): string {
  const nameOf = nodeNames(graph.nodes);
  const nodes = graph.nodes.map(
    (node) => `  ${nameOf(node.key)} [label="${dotText(node.title)}", fillcolor="${STATUS_COLOURS[node.status]}"];`,
  );
  const links = graph.links.map(
    ({ source, target, type }) => `  ${nameOf(source)} -> ${nameOf(target)}${type === 0 ? '' : ' [style=dashed]'};`,
  );
  const head = ['digraph taskgraph {', '  rankdir=BT;', '  node [shape=box, style="rounded,filled"];'];
  return [...head, ...nodes, ...links, '}', ''].join('\n');
}

/** Within quotes, DOT interprets only quotes, backslashes and HTML entities. */
function dotText(title: string): string {
  return onOneLine(title).trim().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('&', '&amp;');
}
