// Reads Mermaid's flowcharts and Gantt charts. Rule: IO2.
import { BrokenFile, type TransferGraph } from '../../graph/transfer-graph.ts';
import { linesOf } from '../../text/file-lines.ts';
import { readMermaidFlowchart } from './mermaid-flowchart.ts';
import { readMermaidGantt } from './mermaid-gantt.ts';
import { diagramLines } from './mermaid-lines.ts';

/** Reads a diagram. Throws a BrokenFile. */
export function readMermaid(text: string): TransferGraph {
  const { lines, comments } = diagramLines(linesOf(text));
  const [first] = lines;
  const kind = /^(flowchart|graph|gantt)\b/.exec(first?.text ?? '')?.[1];
  if (first === undefined || kind === undefined)
    throw new BrokenFile(first?.line ?? null, 'it is neither a flowchart nor a Gantt chart of Mermaid');
  const graph = kind === 'gantt' ? readMermaidGantt(lines) : readMermaidFlowchart(lines);
  if (comments.length === 0) return graph;
  const loss = { what: 'a comment or setting of a drawing', count: comments.length, places: comments };
  return { ...graph, leftOut: [...graph.leftOut, loss] };
}
