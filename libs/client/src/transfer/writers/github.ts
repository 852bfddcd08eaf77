// Writes issues as `gh issue list --json number,title,body,state,closedAt,labels,assignees,blockedBy`
// does, for programs that create issues from it. Rule: IO2.

import { jsonText } from '@taskgraph/wire/control-characters';
import { push, type TransferGraph } from '../graph/transfer-graph.ts';

export function writeGithub({ nodes, links }: TransferGraph): string {
  const numbers = new Map(nodes.map(({ key }, index) => [key, index + 1]));
  const titles = new Map(nodes.map(({ key, title }) => [key, title]));
  const blockedBy = new Map<string, { readonly number: number | undefined; readonly title: string | undefined }[]>();
  for (const { source, target, type } of links) {
    if (type === 0) push(blockedBy, target, { number: numbers.get(source), title: titles.get(source) });
  }
  const issues = nodes.map((node) => {
    const blockers = blockedBy.get(node.key) ?? [];
    return {
      number: numbers.get(node.key),
      title: node.title,
      body: node.description,
      state: node.status === 3 ? 'CLOSED' : 'OPEN',
      closedAt: node.status === 3 ? (node.completedTime ?? null) : null,
      labels: node.tags.map((name) => ({ name })),
      assignees: node.assignee.map((login) => ({ login })),
      blockedBy: { nodes: blockers, totalCount: blockers.length },
    };
  });
  return `${jsonText(issues, 1)}\n`;
}
