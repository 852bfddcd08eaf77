// Tests of XML trees: lines, texts and fields, and documents that are refused within bounds.
import { expect, test } from 'vitest';
import { BrokenFile } from '../graph/transfer-graph.ts';
import { childOf, childrenOf, fieldsOf, readXml, textOf, XML_BOUNDS } from './xml-tree.ts';

function refusalOf(text: string): string {
  try {
    readXml(text);
  } catch (error) {
    if (error instanceof BrokenFile) return error.message;
    throw error;
  }
  return 'it was accepted';
}

test('[IO2] elements have their lines, attributes, texts and children', () => {
  const root = readXml('\uFEFF<?xml version="1.0"?>\n<p:a x="1">\n <b>one &amp; <![CDATA[<two>]]></b>\n <b/>t</p:a>');
  expect([root.name, root.line, root.attributes.x, root.text]).toEqual(['a', 2, '1', 't']);
  expect(childrenOf(root, 'b').map(({ line, text }) => [line, text])).toEqual([
    [3, 'one & <two>'],
    [4, ''],
  ]);
  expect([textOf(root, 'b'), textOf(root, 'c'), childOf(undefined, 'b')]).toEqual(['one & <two>', '', undefined]);
});

test('[IO9] the fields of an element have no words for no, zero and no duration', () => {
  const root = readXml('<a x="0" y="2"><b>false</b><b>1</b><c>PT0H0M0S</c><d z="1">w</d><e><f>0.00</f></e>t</a>');
  expect(JSON.parse(JSON.stringify(fieldsOf(root, ['e'])))).toEqual({
    x: '',
    y: '2',
    b: ['', '1'],
    c: '',
    d: { z: '1', '#text': 'w' },
    '#text': 't',
  });
});

const repeated = (count: number) => (piece: string) => piece.repeat(count);
test.each<[what: string, text: () => string, message: string]>([
  ['no elements', () => '<?xml version="1.0"?>', 'it is not well-formed XML'],
  ['text', () => 'title,due', 'it is not well-formed XML'],
  ['an open element', () => '<a>\n<b></a>', 'line 2: it is not well-formed XML'],
  ['a repeated attribute', () => '<a b="1" b="2"/>', 'it is not well-formed XML: duplicate attribute'],
  [
    'an entity of the document type',
    () => '<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z "&x;&x;">]>\n<a>&z;</a>',
    'line 2: it is not well-formed XML: undefined entity',
  ],
  [
    'an entity of a file',
    () => '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    'it is not well-formed XML: undefined entity',
  ],
  ['many elements', () => `<a>${repeated(XML_BOUNDS.elements)('<b/>')}</a>`, 'it has more than 2000000 elements'],
  ['deep elements', () => repeated(5_000_000)('<b>'), 'elements are nested more than 200 levels deep'],
  [
    'many attributes',
    () => `<a ${Array.from({ length: 100_000 }, (_, index) => `b${index}="1"`).join(' ')}/>`,
    'an element has more than 1000 attributes',
  ],
  ['an open comment', () => `<a><!-- ${repeated(10_000_000)('- ')}`, 'it is not well-formed XML'],
  ['an open text in quotes', () => `<a b="${repeated(10_000_000)('< ')}`, 'it is not well-formed XML'],
])('[IO2] %s: refused', (_what, text, message) => {
  expect(refusalOf(text())).toContain(message);
});

test('[IO2] a long text of pieces is read in linear time', () => {
  const root = readXml(`<a>${repeated(2_000_000)('&lt;b ')}</a>`);
  expect(root.text).toHaveLength(5_999_999);
});
