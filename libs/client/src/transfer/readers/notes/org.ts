// Reads outlines of Org mode: headlines with a keyword. Rules: IO2, IO9.
import { COMPLETION_TIME, SCHEDULED_DATE } from '../../fields/source-field.ts';
import { addLink, blockingLink, groupStatus } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import { createOutlineStack } from '../../graph/outline-stack.ts';
import { createTaskIds } from '../../graph/task-ids.ts';
import { BrokenFile, excerpt, type TransferGraph, type TransferLink } from '../../graph/transfer-graph.ts';
import { joinLines, linesOf } from '../../text/file-lines.ts';
import { reportUnit } from '../../values/duration-units.ts';
import { type Duration, durationOf } from '../../values/durations.ts';
import { reportPriority } from '../../values/priority-values.ts';
import { reportStatus } from '../../values/status-values.ts';
import { createKeywords, type OrgKeywords, splitHeadline, timestampDate } from './org-syntax.ts';

/** A headline and the lines below it. */
interface Headline {
  readonly level: number;
  readonly line: number;
  /** The keyword; '' if it is no task. */
  readonly keyword: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly priority: number;
  readonly parent: Headline | null;
  readonly children: Headline[];
  readonly text: string[];
  /** The text of headlines without tasks below it, the last headline first. */
  readonly below: string[][];
  readonly properties: Map<string, string>;
  dueDate: string | null;
}

/** Reads a file. A headline blocks the headline that it is below. Throws a BrokenFile. */
export function readOrg(text: string): TransferGraph {
  const losses = createLossReport();
  const lines = linesOf(text);
  const keywords = createKeywords(lines);
  const headlines = headlinesIn(lines, keywords, losses);
  const withTasks = headlinesWithTasks(headlines);
  if (withTasks.size === 0) throw new BrokenFile(null, 'it has no headline with a keyword, such as * TODO Task');
  const links: TransferLink[] = [];
  const drafts = new Map<Headline, NodeDraft>();
  const keys = new Set<string>();
  for (const headline of headlines.toReversed()) {
    if (!withTasks.has(headline)) {
      textBelow(headline, losses);
      continue;
    }
    const { line, title, tags, priority, dueDate, children, properties } = headline;
    const below = children.flatMap((child) => drafts.get(child) ?? []);
    const status = headline.keyword === '' ? groupStatus(below) : keywords.statusOf(headline.keyword);
    const description = joinLines(textWithBelow(headline));
    const id = properties.get('ID') ?? properties.get('CUSTOM_ID') ?? '';
    const key = id === '' || keys.has(id) ? `line ${line}` : `id ${id}`;
    keys.add(id);
    const effort = effortOf(properties);
    if (effort?.unit) reportUnit(effort.unit, losses);
    const volume = effort?.minutes ?? 0;
    drafts.set(headline, { key, line, title, tags, priority, dueDate, status, description, volume });
    reportHeadline(headline, keywords, losses);
  }
  linkHeadlines(headlines, drafts, links, losses);
  const nodes = headlines.flatMap((headline) => drafts.get(headline) ?? []).map((draft) => fitNode(draft, losses));
  return { nodes, links, leftOut: losses.list() };
}

/** The headlines of the file in their order. Lines before the first one are settings or text. */
function headlinesIn(lines: readonly string[], keywords: OrgKeywords, losses: LossReport): Headline[] {
  const headlines: Headline[] = [];
  const outline = createOutlineStack<Headline>('a headline');
  let [drawer, block] = ['', ''];
  for (const [index, raw] of lines.entries()) {
    const line = index + 1;
    const current = outline.last();
    const stars = /^(\*+)[ \t]+/.exec(raw);
    if (stars !== null) {
      const level = stars[1]?.length ?? 1;
      const parent = outline.parentAt(level);
      const parts = splitHeadline(raw.slice(stars[0].length), keywords);
      const headline: Headline = {
        ...parts,
        level,
        line,
        parent,
        children: [],
        text: [],
        below: [],
        properties: new Map(),
        dueDate: null,
      };
      if (parts.lostPriority !== '') reportPriority(`[#${parts.lostPriority}]`, 0, `line ${line}`, losses);
      parent?.children.push(headline);
      headlines.push(headline);
      outline.open(level, headline, line);
      [drawer, block] = ['', ''];
    } else if (drawer !== '') {
      if (/^[ \t]*:END:[ \t]*$/i.test(raw)) drawer = '';
      else readDrawerLine(raw, drawer, current, line, losses);
    } else if (block === '' && /^[ \t]*:[\w-]+:[ \t]*$/.test(raw)) drawer = raw.trim().toUpperCase();
    else {
      const [, begin = '', end = ''] = /^[ \t]*#\+(?:begin_(\S+)|end_(\S+))/i.exec(raw) ?? [];
      if (begin !== '' && block === '') block = begin.toLowerCase();
      else if (end.toLowerCase() === block) block = '';
      readTextLine(raw, block !== '', current, line, losses);
    }
  }
  return headlines;
}

function readDrawerLine(
  raw: string,
  drawer: string,
  headline: Headline | null,
  line: number,
  losses: LossReport,
): void {
  if (raw.trim() === '') return;
  const text = raw.trim();
  const end = text.startsWith(':') ? text.indexOf(':', 1) : -1;
  const [name, value] = [text.slice(1, Math.max(1, end)), text.slice(end + 1)];
  if (drawer !== ':PROPERTIES:' || headline === null || !/^\S+$/.test(name))
    losses.note(`a line of the drawer ${drawer.slice(0, 60)}`, `line ${line}: ${raw.trim().slice(0, 100)}`);
  else if (headline.properties.has(name.toUpperCase()))
    losses.note(`the second property ${excerpt(name)}`, `line ${line}: ${value.slice(0, 100)}`);
  else headline.properties.set(name.toUpperCase(), value.trim());
}

// Backtracks: a stamp has at most 100 characters.
const PLANNING = /\b(DEADLINE|SCHEDULED|CLOSED): ?([<[][^>\]]{1,100}[>\]])/g;
const PLANNING_LOSSES: ReadonlyMap<string, string> = new Map(
  Object.entries({ SCHEDULED: SCHEDULED_DATE, CLOSED: COMPLETION_TIME }),
);

/** Dates, settings, clock times and text. */
function readTextLine(
  raw: string,
  isInBlock: boolean,
  headline: Headline | null,
  line: number,
  losses: LossReport,
): void {
  const place = (value: string) => `line ${line}: ${value.trim().slice(0, 100)}`;
  if (headline === null) {
    if (raw.trim() === '' || /^#\+(?:SEQ_|TYP_)?TODO:/i.test(raw)) return;
    losses.note(/^#\+\S+:/.test(raw) ? 'a setting of the file' : 'text before the first headline', place(raw));
    return;
  }
  if (isInBlock || !/^[ \t]*(DEADLINE|SCHEDULED|CLOSED|CLOCK):/.test(raw)) {
    headline.text.push(raw);
    return;
  }
  const rest = raw.replaceAll(PLANNING, (all, name: string, stamp: string) => {
    const { dueDate, isWhole } = timestampDate(stamp);
    if (name !== 'DEADLINE') losses.note(PLANNING_LOSSES.get(name) ?? name, place(stamp));
    else if (dueDate === null || headline.dueDate !== null) return all;
    else {
      headline.dueDate = dueDate;
      if (!isWhole) losses.note('the recurrence, warning or end of a deadline', place(stamp));
    }
    return '';
  });
  if (/^[ \t]*CLOCK:/.test(rest)) losses.note('a clock time', place(rest));
  else if (rest.trim() !== '') headline.text.push(rest.trim());
}

/** All tasks, and the headlines with a task below them. */
function headlinesWithTasks(headlines: readonly Headline[]): Set<Headline> {
  const found = new Set<Headline>();
  for (const headline of headlines) {
    if (headline.keyword === '') continue;
    for (let each: Headline | null = headline; each !== null && !found.has(each); each = each.parent) found.add(each);
  }
  return found;
}

function textWithBelow({ text, below }: Headline): string[] {
  return [...text, ...below.toReversed().flat()];
}

/** A headline without tasks is text of the headline above it. */
function textBelow(headline: Headline, losses: LossReport): void {
  const { level, line, title, tags, parent, properties } = headline;
  const stars = '*'.repeat(level);
  const own = [`${stars} ${title}${tags.length > 0 ? ` :${tags.join(':')}:` : ''}`, ...textWithBelow(headline)];
  if (headline.dueDate !== null) losses.note('the deadline of a headline without tasks', `line ${line}`);
  for (const [name, value] of properties)
    losses.note(`the property ${excerpt(name)}`, `line ${line}: ${value.slice(0, 100)}`);
  if (headline.priority > 0) losses.note('the priority of a headline without tasks', `line ${line}`);
  if (parent === null) {
    for (const [index, each] of own.entries()) {
      if (each.trim() !== '')
        losses.note(
          'text outside of tasks',
          index === 0 ? `line ${line}: ${title.slice(0, 100)}` : `below line ${line}: ${each.trim().slice(0, 100)}`,
        );
    }
  } else parent.below.push(own);
}

/** The effort of a headline, such as `1:30`, `2d 4h`, or a number of minutes. */
function effortOf(properties: ReadonlyMap<string, string>): Duration | null {
  const effort = durationOf(properties.get('EFFORT') ?? '', 'minute');
  return effort?.isEstimate || effort?.isElapsed ? null : effort;
}

/** Properties that are read: ids, effort, and the order of children. */
const READ_PROPERTIES = new Set(['ID', 'CUSTOM_ID', 'EFFORT', 'ORDERED', 'BLOCKER', 'TRIGGER']);

function reportHeadline(headline: Headline, keywords: OrgKeywords, losses: LossReport): void {
  const place = `line ${headline.line}`;
  const { keyword } = headline;
  if (!keywords.isExact(keyword)) reportStatus(keyword, keywords.statusOf(keyword), place, losses);
  for (const [name, value] of headline.properties) {
    const isRead =
      name === 'EFFORT' ? effortOf(headline.properties) !== null : READ_PROPERTIES.has(name) && name !== 'TRIGGER';
    if (!isRead) losses.note(`the property ${excerpt(name)}`, `${place}: ${value.slice(0, 100)}`);
  }
}

/** Children block their parent, or in an ordered headline the next task. Ids name further blockers. */
function linkHeadlines(
  headlines: readonly Headline[],
  drafts: ReadonlyMap<Headline, NodeDraft>,
  links: TransferLink[],
  losses: LossReport,
): void {
  const ids = createTaskIds(losses);
  for (const [headline, draft] of drafts)
    for (const name of ['ID', 'CUSTOM_ID']) ids.add(headline.properties.get(name) ?? '', draft.key);
  for (const headline of headlines) {
    const draft = drafts.get(headline);
    if (draft === undefined) continue;
    const children = headline.children.flatMap((child) => drafts.get(child) ?? []);
    for (const child of children) addLink(links, blockingLink(child.key, draft.key));
    const ordered = headline.properties.get('ORDERED') ?? '';
    if (ordered !== '' && ordered !== 'nil') {
      for (const [index, child] of children.slice(1).entries())
        addLink(links, blockingLink(children[index]?.key ?? '', child.key));
    }
    for (const id of blockersIn(headline.properties.get('BLOCKER') ?? '')) {
      const source = ids.find(id, draft.key);
      if (source !== null) addLink(links, blockingLink(source, draft.key));
    }
  }
}

/** `ids("a" "b")` of org-edna, or ids with spaces between them. */
function blockersIn(value: string): string[] {
  return value
    .replaceAll(/\bids\(|\)|"|\bid:/g, ' ')
    .split(/\s+/)
    .filter((id) => id !== '');
}
