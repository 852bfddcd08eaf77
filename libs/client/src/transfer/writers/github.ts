// Issues in the form of `gh issue list --json number,title,body,state,labels,assignees,blockedBy`, for programs that make issues of such. Rule: IO2.

import { jsonText } from '../control-characters.ts';
import { createLedger, placeOf, push, type TransferGraph, type TransferNode, type Written } from '../model.ts';

export function writeGithub({ nodes, links }: TransferGraph): Written {
  const ledger = createLedger();
  const number = new Map(nodes.map(({ key }, index) => [key, index + 1]));
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const blockedBy = new Map<string, { readonly number: number | undefined; readonly title: string }[]>();
  for (const { source, target, type } of links) {
    const from = byKey.get(source) as TransferNode;
    if (type === 0) push(blockedBy, target, { number: number.get(source), title: from.title });
    else ledger.note('a link that does not block', `${placeOf(from)} → ${placeOf(byKey.get(target) as TransferNode)}`);
  }
  const issues = nodes.map((node) => {
    noteLosses(node, ledger.note);
    const blockers = blockedBy.get(node.key) ?? [];
    return {
      number: number.get(node.key),
      title: node.title,
      body: node.description,
      state: node.status === 3 ? 'CLOSED' : 'OPEN',
      labels: node.tags.map((name) => ({ name })),
      assignees: node.assignee.map((login) => ({ login })),
      blockedBy: { nodes: blockers, totalCount: blockers.length },
    };
  });
  return { text: `${jsonText(issues, 1)}\n`, leftOut: ledger.list() };
}

function noteLosses(node: TransferNode, note: (what: string, place: string) => void): void {
  const place = placeOf(node);
  if (node.status === 1) note('being in progress', place);
  if (node.dueDate !== null) note('when a task is due', place);
  if (node.priority > 0) note('the priority', place);
  if (node.volume > 0) note('the volume', place);
  if (node.independent) note('being independent', place);
  if (node.pinned || node.collapsed || node.x !== 0 || node.y !== 0 || node.z !== 0) note('a position', place);
}
