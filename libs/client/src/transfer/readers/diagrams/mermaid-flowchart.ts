// Reads the statements of Mermaid's flowcharts: nodes, arrows and subgraphs. Rule: IO2.
import { CLASS_STYLE, STATUS_CLASSES, STATUS_COLOURS } from '../../graph/drawing-styles.ts';
import { BrokenFile, TRANSFER_BOUNDS, type TransferGraph, type TransferNode } from '../../graph/transfer-graph.ts';
import { characterNamed } from '../../text/character-references.ts';
import { createDiagramGraph, type DiagramGraph } from './diagram-graph.ts';
import type { DiagramLine } from './mermaid-lines.ts';

/** The brackets of the shapes of nodes, longer ones first. */
const SHAPES: readonly (readonly [open: string, closes: readonly string[]])[] = [
  ['(((', [')))']],
  ['((', ['))']],
  ['([', ['])']],
  ['(', [')']],
  ['[[', [']]']],
  ['[(', [')]']],
  ['[/', ['/]', '\\]']],
  ['[\\', ['\\]', '/]']],
  ['[', [']']],
  ['{{', ['}}']],
  ['{', ['}']],
  ['>', [']']],
];
/** The classes that an export writes. */
const STATUSES: ReadonlyMap<string, TransferNode['status']> = new Map(
  STATUS_CLASSES.map((name, status) => [name, status as TransferNode['status']]),
);
const LAYOUT = /^(direction|classDef|style|linkStyle|accTitle|accDescr|click|title)\b/;
/** An arrow, perhaps with the start of its text: heads, and a line of hyphens, dots or equals signs. */
const ARROW = /^(?:[\w-]{1,60}@)?([<ox]?)(--+|-\.+-?|==+|~~~+)([>ox]?)(?=[^>]|$)/;
const ID = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_.*#$%/\\]|-(?![-.>]))*/u;

interface Arrow {
  readonly kind: 'blocks' | 'related' | 'hidden';
  readonly isReversed: boolean;
}

/** Reads a flowchart. An arrow leads from a blocker to the task that it blocks. Throws a BrokenFile. */
export function readMermaidFlowchart(lines: readonly DiagramLine[]): TransferGraph {
  const graph = createDiagramGraph();
  const groups: string[] = [];
  for (const [index, { line, text }] of lines.entries()) {
    for (const statement of statementsIn(
      index === 0 ? text.replace(/^(?:flowchart(?:-elk)?|graph)\b[ \t]*(?:TB|TD|BT|RL|LR|[<>^v])?/, '') : text,
    )) {
      readStatement(statement, line, groups, graph);
    }
  }
  if (groups.length > 0) throw new BrokenFile(null, 'a subgraph has no end');
  return graph.result();
}

/** Semicolons outside of quotes and brackets separate statements. */
function statementsIn(text: string): string[] {
  const statements: string[] = [];
  let [start, isQuoted, depth] = [0, false, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if ('[({'.includes(character)) depth++;
    else if ('])}'.includes(character)) depth--;
    else if (character === ';' && depth <= 0) {
      statements.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...statements, text.slice(start).trim()].filter((statement) => statement !== '');
}

function readStatement(text: string, line: number, groups: string[], graph: DiagramGraph): void {
  const place = `line ${line}: ${text.slice(0, 100)}`;
  if (text === 'end') {
    if (groups.pop() === undefined) throw new BrokenFile(line, 'an end has no subgraph');
  } else if (/^subgraph\b/.test(text)) {
    if (groups.length >= TRANSFER_BOUNDS.depth)
      throw new BrokenFile(line, `a subgraph is within more than ${TRANSFER_BOUNDS.depth} others`);
    const { id, title } = subgraphOf(text.slice('subgraph'.length).trim(), line);
    const node = graph.node(id, line, groups.at(-1) ?? null);
    node.isGroup = true;
    if (title !== null) node.title = title;
    groups.push(id);
  } else if (/^class[ \t]/.test(text)) readClass(text, line, groups, graph);
  else if (LAYOUT.test(text)) {
    if (!isOwnStyle(text)) graph.losses.note('the layout, style or link of a drawing', place);
  } else readChain(text, line, groups.at(-1) ?? null, graph);
}

function isOwnStyle(text: string): boolean {
  const [, name = ''] = /^classDef (\w+) /.exec(text) ?? [];
  const status = STATUSES.get(name);
  return status !== undefined && text === `classDef ${name} fill:${STATUS_COLOURS[status]},${CLASS_STYLE}`;
}

/** `id [title]`, `title` or `id`. */
function subgraphOf(text: string, line: number): { readonly id: string; readonly title: string | null } {
  const bracket = text.indexOf('[');
  if (bracket > 0 && text.endsWith(']')) {
    return { id: text.slice(0, bracket).trim(), title: labelText(text.slice(bracket + 1, -1)) };
  }
  const title = labelText(text);
  return { id: title === '' ? `subgraph ${line}` : title, title };
}

/** `class a,b name` */
function readClass(text: string, line: number, groups: readonly string[], graph: DiagramGraph): void {
  const words = text.split(/\s+/);
  const [ids, name] = [words.slice(1, -1).join(''), words.at(-1) ?? ''];
  const status = STATUSES.get(name);
  if (status === undefined) {
    graph.losses.note('the layout, style or link of a drawing', `line ${line}: ${text.slice(0, 100)}`);
    return;
  }
  for (const id of ids.split(','))
    if (id.trim() !== '') graph.node(id.trim(), line, groups.at(-1) ?? null).status = status;
}

/** Nodes with arrows between them: `a & b --> c`. */
function readChain(text: string, line: number, group: string | null, graph: DiagramGraph): void {
  const refuse = (at: number): never => {
    throw new BrokenFile(line, `${JSON.stringify(text.slice(at, at + 40))} is neither a node nor an arrow`);
  };
  let at = 0;
  const skipBlanks = () => {
    while (text[at] === ' ' || text[at] === '\t') at++;
  };
  const nodesAt = (): string[] => {
    const ids: string[] = [];
    for (;;) {
      skipBlanks();
      const { id, end } = nodeAt(text, at, line, group, graph) ?? refuse(at);
      ids.push(id);
      at = end;
      skipBlanks();
      if (text[at] !== '&') return ids;
      at++;
    }
  };
  let sources = nodesAt();
  while (at < text.length) {
    const { arrow, end } = arrowAt(text, at, line, graph) ?? refuse(at);
    at = end;
    const targets = nodesAt();
    for (const source of sources) {
      for (const target of targets) {
        if (arrow.kind === 'hidden') graph.losses.note('an invisible arrow', `line ${line}: ${source} ~~~ ${target}`);
        else if (arrow.isReversed) graph.arrow(target, source, arrow.kind);
        else graph.arrow(source, target, arrow.kind);
      }
    }
    sources = targets;
  }
}

/** A node, perhaps with its shape, title and class. Null if there is none. */
function nodeAt(text: string, start: number, line: number, group: string | null, graph: DiagramGraph) {
  const [id] = ID.exec(text.slice(start, start + 1_000)) ?? [];
  if (id === undefined) return null;
  const node = graph.node(id, line, group);
  let at = start + id.length;
  const place = `line ${line}: ${id.slice(0, 60)}`;
  if (text.startsWith('@{', at)) {
    const end = endOf(text, at + 2, ['}']);
    if (end === null) return null;
    const inner = text.slice(at + 2, end.at);
    const [all, label] = /\blabel:[ \t]*("[^"]*"|[^,"]*)/.exec(inner) ?? [];
    if (label !== undefined) node.title = labelText(label);
    const rest = inner
      .replace(all ?? '', '')
      .replace(/\bshape: ?[\w-]{1,40}/, '')
      .replaceAll(/[\s,]/g, '');
    if (rest !== '') graph.losses.note('a property of a node', `${place}: ${inner.trim().slice(0, 200)}`);
    at = end.at + 1;
  } else {
    const shape = SHAPES.find(([open]) => text.startsWith(open, at));
    if (shape !== undefined) {
      const end = endOf(text, at + shape[0].length, shape[1]);
      if (end === null) return null;
      const title = labelText(text.slice(at + shape[0].length, end.at));
      if (node.title !== null && node.title !== title)
        graph.losses.note('a second title of a node', `${place}: ${title.slice(0, 200)}`);
      else node.title = title;
      at = end.at + end.close.length;
    }
  }
  const [marker = '', name = ''] = /^:::([\w-]{1,100})/.exec(text.slice(at, at + 110)) ?? [];
  const status = STATUSES.get(name);
  if (status !== undefined) node.status = status;
  else if (name !== '') graph.losses.note('the layout, style or link of a drawing', `${place}: ${name}`);
  return { id, end: at + marker.length };
}

/** The first of some brackets outside of quotes. */
function endOf(
  text: string,
  start: number,
  closes: readonly string[],
): { readonly at: number; readonly close: string } | null {
  let at = start;
  while (text[at] === ' ') at++;
  if (text[at] === '"') at = Math.max(at, text.indexOf('"', at + 1));
  for (; at < text.length; at++) {
    const close = closes.find((each) => text.startsWith(each, at));
    if (close !== undefined) return { at, close };
  }
  return null;
}

/** The second part of an arrow with text: hyphens, equals signs or dots, and perhaps a head. */
function closingArrow(text: string, start: number, body: string) {
  const sign = body === '-.' ? '.' : body[0];
  for (let at = start; at < text.length; at++) {
    if (text[at] !== sign) continue;
    let end = at;
    while (text[end] === sign) end++;
    const isDotted = sign === '.';
    if (isDotted && text[end] === '-') end++;
    const head = end < text.length && '>ox'.includes(text[end] ?? '') ? (text[end] ?? '') : '';
    const isPair = end - at === 2 && (head !== '' || end === text.length);
    if (isDotted ? text[end - 1] === '-' : end - at > 2 || isPair) return { start: at, end: end + head.length, head };
    at = end - 1;
  }
  return null;
}

function arrowAt(
  text: string,
  start: number,
  line: number,
  graph: DiagramGraph,
): { readonly arrow: Arrow; readonly end: number } | null {
  const first = ARROW.exec(text.slice(start, start + 200));
  if (first === null) return null;
  let [all, tail = '', body = '', head = ''] = first;
  let at = start + all.length;
  let label = '';
  // Two signs without a head begin an arrow with text: -- text -->
  if (head === '' && (body === '--' || body === '==' || body === '-.')) {
    const close = closingArrow(text, at, body);
    if (close === null) return null;
    label = text.slice(at, close.start);
    head = close.head;
    at = close.end;
  }
  while (text[at] === ' ') at++;
  if (text[at] === '|') {
    const end = text.indexOf('|', at + 1);
    if (end < 0) return null;
    label += text.slice(at + 1, end);
    at = end + 1;
  }
  const name = labelText(label);
  if (name !== '') graph.losses.note('the text of an arrow', `line ${line}: ${name.slice(0, 200)}`);
  const [forward, backward] = [head !== '', tail === '<' || (tail !== '' && head === '')];
  if (forward && tail !== '')
    graph.losses.note('that an arrow has two heads', `line ${line}: ${text.slice(start, at).slice(0, 60)}`);
  const blocks = forward !== (tail !== '') && !body.includes('.');
  const kind = body.includes('~') ? 'hidden' : blocks ? 'blocks' : 'related';
  return { arrow: { kind, isReversed: !forward && backward }, end: at };
}

/** The text of a label without quotes, line breaks and the numbers of characters. */
function labelText(label: string): string {
  let text = label.trim();
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) text = text.slice(1, -1).trim();
  if (text.length > 1 && text.startsWith('`') && text.endsWith('`')) text = text.slice(1, -1).trim();
  return text
    .replaceAll(/<br[ ]?\/?>|\\n/gi, ' ')
    .replaceAll(/[#&]#?(quot|amp|lt|gt|\d{1,7});/g, (all, name: string) => characterNamed(name) ?? all)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
