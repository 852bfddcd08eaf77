// Reads DOT, the language of Graphviz: nodes, edges and clusters. Rule: IO2.
import { STATUS_COLOURS } from '../../graph/drawing-styles.ts';
import { excerpt, TRANSFER_BOUNDS, type TransferGraph, type TransferNode } from '../../graph/transfer-graph.ts';
import { characterNamed } from '../../text/character-references.ts';
import { createDiagramGraph, type DiagramGraph } from './diagram-graph.ts';
import { createDotCursor, type DotCursor } from './dot-cursor.ts';
import { type DotToken, dotTokens } from './dot-tokens.ts';

/** An open drawing, subgraph or cluster. */
interface Scope {
  /** The group that its nodes are in. */
  readonly group: string | null;
  readonly isCluster: boolean;
  readonly ids: Set<string>;
}

type Attributes = ReadonlyMap<string, DotToken>;

/** Reads a drawing. An edge leads from a blocker to the task that it blocks. Throws a BrokenFile. */
export function readDot(text: string): TransferGraph {
  const { tokens, comments } = dotTokens(text);
  const graph = createDiagramGraph();
  for (const comment of comments) graph.losses.note('a comment of a drawing', comment);
  new DotReader(createDotCursor(tokens), graph).readDrawing();
  return graph.result();
}

/** Reads the statements of one drawing into a graph. */
class DotReader {
  readonly #cursor: DotCursor;
  readonly #graph: DiagramGraph;
  #isDirected = false;
  #clusters = 0;

  constructor(cursor: DotCursor, graph: DiagramGraph) {
    this.#cursor = cursor;
    this.#graph = graph;
  }

  readDrawing(): void {
    const cursor = this.#cursor;
    if (cursor.isWord('strict')) cursor.takeId();
    if (!cursor.isWord('graph', 'digraph')) cursor.refuse('graph or digraph');
    this.#isDirected = cursor.isWord('digraph');
    cursor.takeId();
    if (cursor.peek()?.kind === 'id') {
      const { text, line } = cursor.takeId();
      if (text !== 'taskgraph') this.#graph.losses.note('the name of a drawing', `line ${line}: ${text.slice(0, 100)}`);
    }
    if (!cursor.takeSign('{')) cursor.refuse('{');
    this.#readStatements({ group: null, isCluster: false, ids: new Set() }, 1);
    if (cursor.peek() !== undefined) cursor.refuse('the end of the file');
  }

  #readStatements(scope: Scope, depth: number): void {
    const cursor = this.#cursor;
    if (depth > TRANSFER_BOUNDS.depth) cursor.refuse(`a subgraph within at most ${TRANSFER_BOUNDS.depth} others`);
    while (!cursor.takeSign('}')) {
      if (cursor.peek() === undefined) cursor.refuse('}');
      if (!cursor.takeSign(';')) this.#readStatement(scope, depth);
    }
  }

  #readStatement(scope: Scope, depth: number): void {
    const cursor = this.#cursor;
    if (cursor.isWord('graph', 'node', 'edge') && cursor.isSign('[', 1)) {
      const of = cursor.takeId().text.toLowerCase();
      const found = cursor.attributes();
      if (of === 'graph') this.#readGraphAttributes(found, scope);
      else this.#noteAll(found, `all ${of}s`, of === 'node' ? ownDefaults(found) : []);
      return;
    }
    if (cursor.peek()?.kind === 'id' && cursor.isSign('=', 1)) {
      const { text } = cursor.takeId();
      cursor.takeSign('=');
      this.#readGraphAttributes(new Map([[text, cursor.takeId()]]), scope);
      return;
    }
    const line = cursor.line();
    const first = this.#endpoint(scope, depth);
    const ends: (readonly string[])[] = [first.ids];
    while (cursor.isSign('->') || cursor.isSign('--')) {
      const sign = this.#isDirected ? '->' : '--';
      if (!cursor.takeSign(sign)) cursor.refuse(sign);
      ends.push(this.#endpoint(scope, depth).ids);
    }
    const found = cursor.attributes();
    if (ends.length > 1) this.#readEdges(ends, found);
    else if (first.isNode) this.#readNode(first.ids[0] ?? '', found, line);
    else this.#noteAll(found, 'a subgraph', []);
  }

  #readGraphAttributes(found: Attributes, { group, isCluster }: Scope): void {
    const label = found.get('label');
    const isTitle = label !== undefined && isCluster && group !== null;
    if (isTitle) this.#graph.node(group, label.line, null).title = labelText(label.text, group);
    const isOwn = found.get('rankdir')?.text === 'BT' && !isCluster;
    const read = [...(isTitle ? ['label'] : []), ...(isOwn ? ['rankdir'] : [])];
    this.#noteAll(found, isCluster ? 'a cluster' : 'a drawing', read);
  }

  /** A node, perhaps with a port, or a subgraph. */
  #endpoint(scope: Scope, depth: number): { readonly ids: readonly string[]; readonly isNode: boolean } {
    const cursor = this.#cursor;
    if (cursor.isWord('subgraph') || cursor.isSign('{')) {
      const inner = this.#openScope(scope);
      if (!cursor.takeSign('{')) cursor.refuse('{');
      this.#readStatements(inner, depth + 1);
      for (const id of inner.ids) scope.ids.add(id);
      return { ids: [...inner.ids], isNode: false };
    }
    const { text, line } = cursor.takeId();
    this.#graph.node(text, line, scope.group);
    scope.ids.add(text);
    while (cursor.takeSign(':')) {
      const port = cursor.takeId().text;
      this.#graph.losses.note('the port of a node', `line ${line}: ${text.slice(0, 60)}:${port.slice(0, 60)}`);
    }
    return { ids: [text], isNode: true };
  }

  #openScope(scope: Scope): Scope {
    const cursor = this.#cursor;
    const isNamed = cursor.isWord('subgraph') && cursor.takeId() !== undefined && cursor.peek()?.kind === 'id';
    const name = isNamed ? cursor.takeId() : null;
    const plain: Scope = { group: scope.group, isCluster: false, ids: new Set() };
    if (name === null) return plain;
    if (!name.text.startsWith('cluster')) {
      this.#graph.losses.note('the name of a subgraph', `line ${name.line}: ${name.text.slice(0, 100)}`);
      return plain;
    }
    this.#clusters++;
    // A node may have the same id.
    const key = `cluster ${this.#clusters} ${name.text}`;
    const node = this.#graph.node(key, name.line, scope.group);
    node.isGroup = true;
    node.title = name.text.replace(/^cluster_?/, '') || name.text;
    return { group: key, isCluster: true, ids: new Set() };
  }

  #readNode(id: string, found: Attributes, line: number): void {
    const node = this.#graph.node(id, line, null);
    const label = found.get('label');
    if (label !== undefined) node.title = labelText(label.text, id);
    const colour = found.get('fillcolor')?.text;
    const status = STATUS_COLOURS.indexOf(colour ?? '');
    if (status >= 0) node.status = status as TransferNode['status'];
    this.#noteAll(found, 'a node', ['label', ...(status >= 0 ? ['fillcolor'] : [])]);
  }

  #readEdges(ends: readonly (readonly string[])[], found: Attributes): void {
    const direction = found.get('dir')?.text ?? 'forward';
    const style = found.get('style')?.text ?? '';
    const isRelated = !this.#isDirected || ['both', 'none'].includes(direction) || ['dashed', 'dotted'].includes(style);
    for (const [index, targets] of ends.slice(1).entries()) {
      for (const source of ends[index] ?? []) {
        for (const target of targets) {
          const [from, to] = direction === 'back' ? [target, source] : [source, target];
          this.#graph.arrow(from, to, isRelated ? 'related' : 'blocks');
        }
      }
    }
    const isPlain = direction === 'back' || direction === 'forward';
    this.#noteAll(found, 'an edge', [...(isPlain ? ['dir'] : []), ...(style === 'dashed' ? ['style'] : [])]);
  }

  #noteAll(found: Attributes, of: string, read: readonly string[]): void {
    for (const [name, { text, line }] of found) {
      if (read.includes(name)) continue;
      const what = `the attribute ${excerpt(name)} of ${of}`;
      this.#graph.losses.note(what, `line ${line}: ${text.slice(0, 100)}`);
    }
  }
}

/** The attributes of all nodes that an export writes. */
function ownDefaults(found: ReadonlyMap<string, DotToken>): readonly string[] {
  const isOwn = found.get('shape')?.text === 'box' && found.get('style')?.text === 'rounded,filled';
  return isOwn ? ['shape', 'style'] : [];
}

/** The text of a label: `\N` is the id of the node, and lines become one. */
function labelText(label: string, id: string): string {
  return label
    .replaceAll(/\\([\s\S])/g, (_, sign: string) => (sign === 'N' ? id : 'nlr'.includes(sign) ? ' ' : sign))
    .replaceAll(/&(amp|lt|gt|quot|#\d{1,7});/g, (all, name: string) => characterNamed(name) ?? all)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
