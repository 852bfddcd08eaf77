// Graphs for tests of imports, and the count of imported nodes.
import { EMPTY_FIELDS, type TransferGraph } from '../../transfer/graph/transfer-graph.ts';
import type { ModelService } from './model-caller.ts';

/** A chain in which each node blocks the next. */
export function chainOf(length: number): TransferGraph {
  const nodes = Array.from({ length }, (_, index) => ({
    ...EMPTY_FIELDS,
    key: String(index),
    line: null,
    title: `Task ${index}`,
  }));
  const links = nodes
    .slice(1)
    .map((_, index) => ({ source: String(index), target: String(index + 1), type: 0 as const, private: false }));
  return { nodes, links, leftOut: [] };
}

/** A graph that an import splits into three parts, because of its size in bytes. */
export const many: TransferGraph = {
  ...chainOf(10),
  nodes: chainOf(10).nodes.map((each) => ({ ...each, description: '€'.repeat(20_000) })),
};
export const identity = { file: 'a file', format: 'test' };
/** The nodes that are not in the trash. */
export const active = (service: ModelService) => [...service.content().nodes].length;
