// Writes our own JSON: all writable fields of nodes and links, each node and link on one line.
// Rule: IO3.

import { jsonText } from '@taskgraph/wire/control-characters';
import { EMPTY_FIELDS, type TransferGraph } from '../graph/transfer-graph.ts';
import { FORM } from '../readers/taskgraph.ts';

export function writeTaskgraph({ nodes, links }: TransferGraph): string {
  const nodeLines = nodes.map((node) => {
    const fields = Object.keys(EMPTY_FIELDS).map((name) => [name, node[name as keyof typeof node]]);
    return jsonText({ key: node.key, ...Object.fromEntries(fields) });
  });
  const linkLines = links.map(({ source, target, type, private: isPrivate }) =>
    jsonText({ source, target, type, private: isPrivate }),
  );
  const list = (lines: readonly string[]) => (lines.length === 0 ? '[]' : `[\n    ${lines.join(',\n    ')}\n  ]`);
  return `{\n  "taskgraph": ${FORM},\n  "nodes": ${list(nodeLines)},\n  "links": ${list(linkLines)}\n}\n`;
}
