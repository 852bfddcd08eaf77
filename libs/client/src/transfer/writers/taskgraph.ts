// Our own JSON: nothing of nodes and links is left out, and each stands in a line of its own. Rule: IO3.

import { jsonText } from '../control-characters.ts';
import { EMPTY_FIELDS, type TransferGraph, type Written } from '../model.ts';
import { OWN_FORM } from '../readers/taskgraph.ts';

export function writeTaskgraph({ nodes, links }: TransferGraph): Written {
  const nodeLines = nodes.map((node) => {
    const fields = Object.keys(EMPTY_FIELDS).map((name) => [name, node[name as keyof typeof node]]);
    return jsonText({ key: node.key, ...Object.fromEntries(fields) });
  });
  const linkLines = links.map(({ source, target, type, private: hidden }) =>
    jsonText({ source, target, type, private: hidden }),
  );
  const list = (lines: readonly string[]) => (lines.length === 0 ? '[]' : `[\n    ${lines.join(',\n    ')}\n  ]`);
  const text = `{\n  "taskgraph": ${OWN_FORM},\n  "nodes": ${list(nodeLines)},\n  "links": ${list(linkLines)}\n}\n`;
  return { text, leftOut: [] };
}
