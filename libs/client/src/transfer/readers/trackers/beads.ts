// Reads the issues of Beads: an issue in each line of issues.jsonl, or the list of `bd list --json`.
// Rules: IO2, IO9.
import { dueDateInFile } from '../../../values/days.ts';
import { reportFields } from '../../fields/source-field.ts';
import { ISSUE_FIELDS } from '../../fields/trackers/beads.ts';
import { addLink, blockingLink, relatedLink } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import { excerpt, TRANSFER_BOUNDS, type TransferGraph, type TransferLink } from '../../graph/transfer-graph.ts';
import { type JsonCursor, readJsonValues } from '../../text/json-cursor.ts';
import { idIn, joinSections, numberAt, textAt, textsAt } from '../../text/json-values.ts';
import { reportPriority } from '../../values/priority-values.ts';
import { statusFrom } from '../../values/status-values.ts';

/** Statuses that only Beads has. */
const OWN_STATUSES = { hooked: 1 } as const;
/** The status of an issue that was deleted. */
const TOMBSTONE = 'tombstone';
/** 0 is the most urgent. */
const LEAST_URGENT = 4;
const DEFAULT_PRIORITY = 2;
const DEFAULT_TYPE = 'task';

/** A dependency blocks the issue, or the issue blocks the dependency, its parent. */
const BLOCKING_TYPES: ReadonlyMap<string, 'blocker' | 'parent'> = new Map(
  Object.entries({
    blocks: 'blocker',
    'conditional-blocks': 'blocker',
    'waits-for': 'blocker',
    'parent-child': 'parent',
  } as const),
);
/** Types that a link of the graph represents fully. */
const EXACT_TYPES = new Set(['blocks', 'parent-child', 'related', 'relates-to']);

/** Reads a file. Throws a BrokenFile. */
export function readBeads(text: string): TransferGraph {
  const losses = createLossReport();
  const issues = new Map<string, { readonly cursor: JsonCursor; readonly draft: NodeDraft }>();
  const deleted = new Set<string>();
  for (const cursor of issuesIn(text)) {
    const id = idIn(cursor.at('id'), '"id"');
    const type = textAt(cursor, '_type');
    if (type !== '' && type !== 'issue') {
      losses.note(`an entry of the type ${excerpt(type)}`, `line ${cursor.line}`);
      continue;
    }
    if (id === '') cursor.refuse('an issue has no "id"');
    if (issues.has(id) || deleted.has(id)) cursor.refuse(`two issues have the id ${excerpt(id)}`);
    if (textAt(cursor, 'status') === TOMBSTONE) {
      deleted.add(id);
      losses.note('an issue that was deleted', `${id.slice(0, 40)} (line ${cursor.line})`);
    } else issues.set(id, { cursor, draft: draftOf(cursor, id, losses) });
  }
  const links: TransferLink[] = [];
  for (const [id, { cursor }] of issues) {
    for (const link of linksOf(cursor, id, losses)) {
      const other = link.source === id ? link.target : link.source;
      if (issues.has(other)) addLink(links, link);
      else {
        const reason = deleted.has(other) ? 'was deleted' : 'is not in the file';
        losses.note(`a dependency on an issue that ${reason}`, `${id.slice(0, 40)} → ${other.slice(0, 40)}`);
      }
    }
  }
  const nodes = [...issues.values()].map(({ draft }) => fitNode(draft, losses));
  return { nodes, links, leftOut: losses.list() };
}

function issuesIn(text: string): JsonCursor[] {
  const cursors: JsonCursor[] = [];
  for (const value of readJsonValues(text)) {
    const issues = Array.isArray(value.value) ? value.list('the file') : [value];
    for (const issue of issues) {
      if (cursors.length >= TRANSFER_BOUNDS.nodes) issue.refuse(`it has more than ${TRANSFER_BOUNDS.nodes} issues`);
      cursors.push(issue.object('an issue'));
    }
  }
  return cursors;
}

function draftOf(cursor: JsonCursor, id: string, losses: LossReport): NodeDraft {
  const place = `${id.slice(0, 40)} (line ${cursor.line})`;
  reportFields(cursor.value, ISSUE_FIELDS, place, losses);
  const type = textAt(cursor, 'issue_type').trim();
  return {
    key: id,
    line: cursor.line,
    title: textAt(cursor, 'title'),
    description: joinSections([
      ['', textAt(cursor, 'description')],
      ['Design', textAt(cursor, 'design')],
      ['Acceptance criteria', textAt(cursor, 'acceptance_criteria')],
      ['Notes', textAt(cursor, 'notes')],
      ['Comments', commentsIn(cursor)],
    ]),
    status: statusFrom(textAt(cursor, 'status'), place, losses, OWN_STATUSES),
    priority: priorityOf(cursor, place, losses),
    volume: numberAt(cursor, 'estimated_minutes') ?? 0,
    dueDate: dueDateOf(cursor),
    tags: [...(type === '' || type === DEFAULT_TYPE ? [] : [type]), ...textsAt(cursor, 'labels')],
    assignee: textsAt(cursor, 'assignee'),
  };
}

function priorityOf(cursor: JsonCursor, place: string, losses: LossReport): number {
  const priority = numberAt(cursor, 'priority') ?? DEFAULT_PRIORITY;
  const nearest = Math.min(LEAST_URGENT, Math.max(0, Math.round(priority)));
  if (nearest !== priority) reportPriority(String(priority), LEAST_URGENT - nearest, place, losses);
  return LEAST_URGENT - nearest;
}

/** Go writes the zone as an offset and up to nine digits of a second. */
function dueDateOf(cursor: JsonCursor): string | null {
  const text = textAt(cursor, 'due_at');
  if (text === '') return null;
  return dueDateInFile(text) ?? cursor.refuse(`${excerpt(text)} is not a time`);
}

function commentsIn(cursor: JsonCursor): string {
  const field = cursor.at('comments');
  if (!field.isThere()) return '';
  return field
    .list('"comments"')
    .map((each) => textAt(each.object('a comment'), 'text'))
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}

function linksOf(cursor: JsonCursor, id: string, losses: LossReport): TransferLink[] {
  const field = cursor.at('dependencies');
  if (!field.isThere()) return [];
  return field.list('"dependencies"').map((each) => {
    const dependency = each.object('a dependency');
    const other = idIn(dependency.at('depends_on_id'), '"depends_on_id"');
    if (other === '') dependency.refuse('a dependency has no "depends_on_id"');
    const type = textAt(dependency, 'type') || 'blocks';
    const place = `${id.slice(0, 40)} → ${other.slice(0, 40)}`;
    if (!EXACT_TYPES.has(type)) losses.note(`that a dependency is of the type ${excerpt(type)}`, place);
    const role = BLOCKING_TYPES.get(type);
    if (role === 'blocker') return blockingLink(other, id);
    return role === 'parent' ? blockingLink(id, other) : relatedLink(id, other);
  });
}
