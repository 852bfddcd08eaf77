// Reads XML of files into a tree whose elements know their lines. Entities of a document type are
// never expanded, and the number, depth and attributes of elements are bounded. Rule: IO2.
import { SaxesParser } from 'saxes';
import { BrokenFile, push } from '../graph/transfer-graph.ts';

export const XML_BOUNDS = { elements: 2_000_000, depth: 200, attributes: 1_000 } as const;

export interface XmlElement {
  /** Without a namespace prefix. */
  readonly name: string;
  readonly line: number;
  /** Without a prototype. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children, and without space around it. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  readonly pieces: string[];
  text: string;
}

/** Reads a document and returns its root. Throws a BrokenFile. */
export function readXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: false, fragment: false });
  const open: OpenElement[] = [];
  let root: XmlElement | null = null;
  let count = 0;
  const refuse = (reason: string): never => {
    throw new BrokenFile(parser.line, reason);
  };
  const addText = (piece: string) => {
    const pieces = open.at(-1)?.pieces;
    // Space between elements is no text.
    if (pieces !== undefined && (pieces.length > 0 || /\S/.test(piece))) pieces.push(piece);
  };
  let attributes = 0;
  parser.on('error', ({ message }) => refuse(`it is not well-formed XML: ${message.replace(/^\d+:\d+: /, '')}`));
  parser.on('opentagstart', () => {
    attributes = 0;
  });
  parser.on('attribute', () => {
    if (++attributes > XML_BOUNDS.attributes) refuse(`an element has more than ${XML_BOUNDS.attributes} attributes`);
  });
  parser.on('opentag', ({ name, attributes: own }) => {
    if (++count > XML_BOUNDS.elements) refuse(`it has more than ${XML_BOUNDS.elements} elements`);
    if (open.length === XML_BOUNDS.depth) refuse(`elements are nested more than ${XML_BOUNDS.depth} levels deep`);
    const element = {
      name: name.slice(name.indexOf(':') + 1),
      line: parser.line,
      attributes: withoutNamespaces(own as Readonly<Record<string, string>>),
      children: [],
      pieces: [],
      text: '',
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const closed = open.pop();
    if (closed === undefined) return;
    closed.text = closed.pieces.join('').trim();
    closed.pieces.length = 0;
  });
  parser.write(text.replace(/^\uFEFF/, '')).close();
  return root ?? refuse('it has no elements');
}

/** Namespaces, and places of schemas, hold nothing of a user. */
function withoutNamespaces(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const own = Object.entries(attributes).filter(([name]) => !/^(?:xmlns(?::|$)|xsi:)/.test(name));
  return Object.assign(Object.create(null) as Record<string, string>, Object.fromEntries(own));
}

/** The children with this name. */
export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The first child with this name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** The text of the first child with this name; '' if there is none. */
export function textOf(element: XmlElement | undefined, name: string): string {
  return childOf(element, name)?.text ?? '';
}

/** Words of XML for no, zero and no duration. */
const EMPTY_WORD = /^(?:false|[-+]?0+(?:\.0*)?|PT0H0M0S)$/;

/** The name of an element's own text in its fields. */
const OWN_TEXT = '#text';

/**
 * The attributes and children of an element as an object, in which a repeated child is a list. Words
 * for no and zero are empty, as in JSON. Children named in `without` are left out.
 */
export function fieldsOf(element: XmlElement, without: readonly string[] = []): Record<string, unknown> {
  const fields = new Map<string, unknown[]>();
  for (const [name, value] of Object.entries(element.attributes)) push(fields, name, wordOf(value));
  for (const child of element.children) {
    if (!without.includes(child.name)) push(fields, child.name, contentOf(child));
  }
  if (element.text !== '' && (element.children.length > 0 || fields.size > 0)) push(fields, OWN_TEXT, element.text);
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

function contentOf(element: XmlElement): unknown {
  const isPlain = element.children.length === 0 && Object.keys(element.attributes).length === 0;
  return isPlain ? wordOf(element.text) : fieldsOf(element);
}

function wordOf(text: string): string {
  return EMPTY_WORD.test(text) ? '' : text;
}
