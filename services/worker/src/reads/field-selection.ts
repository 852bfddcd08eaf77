// Reduces the nodes of an answer to the fields that its caller names. Rule: NGET3.
import type { NodeFieldName } from '@taskgraph/wire/operations/payloads';
import type { Body } from './read-handler.ts';

/** The names of fields, or undefined for all. */
export type Selection = readonly NodeFieldName[] | undefined;

/** The body with only the named fields of its nodes, besides `id` and `version`. */
export function selectFields(body: Body, selection: Selection): Body {
  const { nodes } = body;
  if (selection === undefined || !Array.isArray(nodes)) return body;
  const names = new Set<string>([...selection, 'id', 'version']);
  const select = (node: object) => Object.fromEntries(Object.entries(node).filter(([name]) => names.has(name)));
  return { ...body, nodes: nodes.map(select) };
}
