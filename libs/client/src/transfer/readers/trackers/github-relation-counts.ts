// Compares the relations that a file names with the numbers that it gives for each issue: REST
// pages give only numbers, and gh cuts long lists. Rule: IO2.
import type { LossReport } from '../../graph/loss-report.ts';
import type { TransferLink } from '../../graph/transfer-graph.ts';
import type { JsonCursor } from '../../text/json-cursor.ts';

const ONLY_COUNTED = ', of which the file has only the number';

export interface RelationCounts {
  add(link: Pick<TransferLink, 'source' | 'target'>, kind: 'sub-issue' | 'blocker'): void;
  /**
   * Reports the relations of an issue that the file only counts. Call it after all relations are
   * added.
   */
  reportMissing(issue: JsonCursor, key: string, losses: LossReport): void;
}

/** Counts a relation once, although both of its issues may name it. */
export function createRelationCounts(): RelationCounts {
  const [subIssues, blockers, blocked] = [createKeySets(), createKeySets(), createKeySets()];
  return {
    add({ source, target }, kind) {
      (kind === 'sub-issue' ? subIssues : blockers).add(target, source);
      if (kind === 'blocker') blocked.add(source, target);
    },
    reportMissing(issue, key, losses) {
      const dependencies = issue.at('issue_dependencies_summary');
      const report = (what: string, named: number, totals: readonly JsonCursor[]) => {
        const total = Math.max(0, ...totals.map(({ value }) => (typeof value === 'number' ? value : 0)));
        if (total > named) losses.note(`${what}${ONLY_COUNTED}`, `${key} (${total - named} of ${total})`);
      };
      report('sub-issues', subIssues.size(key), [
        issue.at('sub_issues_summary').at('total'),
        issue.at('subIssuesSummary').at('total'),
        issue.at('subIssues').at('totalCount'),
      ]);
      report('issues that block an issue', blockers.size(key), [
        dependencies.at('blocked_by'),
        dependencies.at('total_blocked_by'),
        issue.at('blockedBy').at('totalCount'),
      ]);
      report('issues that an issue blocks', blocked.size(key), [
        dependencies.at('blocking'),
        dependencies.at('total_blocking'),
        issue.at('blocking').at('totalCount'),
      ]);
    },
  };
}

function createKeySets() {
  const sets = new Map<string, Set<string>>();
  return {
    add(key: string, value: string) {
      const set = sets.get(key);
      if (set === undefined) sets.set(key, new Set([value]));
      else set.add(value);
    },
    size: (key: string) => sets.get(key)?.size ?? 0,
  };
}
