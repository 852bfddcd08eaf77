// How many relations of an issue a file names, and how many it only counts: pages of REST have the numbers alone, and lists of gh are cut. Rule: IO2.
import type { Cursor } from '../json-source.ts';
import type { Ledger, TransferLink } from '../model.ts';

const NOT_NAMED = ', of which the file has only the number';

export interface RelationCounts {
  add(link: Pick<TransferLink, 'source' | 'target'>, kind: 'sub-issue' | 'blocker'): void;
  /** Tells of the relations that an issue has beyond those that were added. */
  tellMissing(issue: Cursor, key: string, ledger: Ledger): void;
}

/** Relations are added before the first is told: either of two issues may name the other. */
export function createRelationCounts(): RelationCounts {
  const [subIssues, blockers, blocked] = [createSets(), createSets(), createSets()];
  return {
    add({ source, target }, kind) {
      (kind === 'sub-issue' ? subIssues : blockers).add(target, source);
      if (kind === 'blocker') blocked.add(source, target);
    },
    tellMissing(issue, key, ledger) {
      const dependencies = issue.at('issue_dependencies_summary');
      const tell = (what: string, named: number, totals: readonly Cursor[]) => {
        const total = Math.max(0, ...totals.map(({ value }) => (typeof value === 'number' ? value : 0)));
        if (total > named) ledger.note(`${what}${NOT_NAMED}`, `${key} (${total - named} of ${total})`);
      };
      tell('sub-issues', subIssues.size(key), [
        issue.at('sub_issues_summary').at('total'),
        issue.at('subIssuesSummary').at('total'),
        issue.at('subIssues').at('totalCount'),
      ]);
      tell('issues that block an issue', blockers.size(key), [
        dependencies.at('blocked_by'),
        dependencies.at('total_blocked_by'),
        issue.at('blockedBy').at('totalCount'),
      ]);
      tell('issues that an issue blocks', blocked.size(key), [
        dependencies.at('blocking'),
        dependencies.at('total_blocking'),
        issue.at('blocking').at('totalCount'),
      ]);
    },
  };
}

function createSets() {
  const sets = new Map<string, Set<string>>();
  return {
    add(key: string, value: string) {
      const there = sets.get(key);
      if (there === undefined) sets.set(key, new Set([value]));
      else there.add(value);
    },
    size: (key: string) => sets.get(key)?.size ?? 0,
  };
}
