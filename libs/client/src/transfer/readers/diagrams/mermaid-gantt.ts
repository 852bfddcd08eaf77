// Reads Mermaid's Gantt charts: sections, and tasks with their states, ids, starts and ends. Rule:
// IO2.

import { dueDateInFile } from '../../../values/days.ts';
import { START } from '../../fields/source-field.ts';
import { addLink, blockingLink, groupStatus } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import {
  BrokenFile,
  excerpt,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
} from '../../graph/transfer-graph.ts';
import { type DurationUnit, reportUnit, workMinutes } from '../../values/duration-units.ts';
import type { DiagramLine } from './mermaid-lines.ts';

const SETTING =
  /^(title|dateFormat|axisFormat|tickInterval|excludes|includes|todayMarker|weekday|weekend|inclusiveEndDates|topAxis|displayMode|accTitle|accDescr|click)\b/;
const TAGS = new Set(['active', 'done', 'crit', 'milestone', 'vert']);
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|[smhdwMy])$/;
const UNITS: ReadonlyMap<string, DurationUnit> = new Map(
  Object.entries({
    ms: 'millisecond',
    s: 'second',
    m: 'minute',
    h: 'hour',
    d: 'day',
    w: 'week',
    M: 'month',
    y: 'year',
  } as const satisfies Record<string, DurationUnit>),
);

interface Task {
  readonly draft: NodeDraft;
  /** The ids of the tasks after which it begins; null after the task before it. */
  readonly after: readonly string[] | null;
}

/** Reads a chart. A task begins after the tasks that block it, and blocks its section. Throws a BrokenFile. */
export function readMermaidGantt(lines: readonly DiagramLine[]): TransferGraph {
  const losses = createLossReport();
  const tasks: Task[] = [];
  const sections: { readonly draft: NodeDraft; readonly tasks: NodeDraft[] }[] = [];
  const keys = new Map<string, string>();
  let dateFormat = 'YYYY-MM-DD';
  for (const { line, text } of lines.slice(1)) {
    const [word = ''] = SETTING.exec(text) ?? [];
    const colon = text.indexOf(':');
    if (/^section\b/.test(text)) {
      sections.push({ draft: { key: `section ${line}`, line, title: text.slice('section'.length).trim() }, tasks: [] });
    } else if (word === 'dateFormat') dateFormat = text.slice(word.length).trim();
    else if (word !== '') losses.note('a setting of the chart', `line ${line}: ${text.slice(0, 200)}`);
    else if (colon < 0) throw new BrokenFile(line, `${excerpt(text)} is neither a task nor a setting`);
    else {
      if (tasks.length >= TRANSFER_BOUNDS.nodes)
        throw new BrokenFile(line, `it has more than ${TRANSFER_BOUNDS.nodes} tasks`);
      const task = taskOf(text.slice(0, colon).trim(), text.slice(colon + 1), { line, dateFormat, keys, losses });
      tasks.push(task);
      sections.at(-1)?.tasks.push(task.draft);
    }
  }
  if (tasks.length === 0) throw new BrokenFile(null, 'it has no tasks');
  const links: TransferLink[] = [];
  for (const [index, { draft, after }] of tasks.entries()) {
    const before = tasks[index - 1]?.draft.key;
    if (after === null && before !== undefined) addLink(links, blockingLink(before, draft.key));
    for (const id of after ?? []) {
      const source = keys.get(id);
      if (source !== undefined) addLink(links, blockingLink(source, draft.key));
      else losses.note('a start after a task that is not in the chart', `line ${draft.line}: ${id.slice(0, 60)}`);
    }
  }
  const groups = sections.map(({ draft, tasks: own }) => {
    for (const { key } of own) addLink(links, blockingLink(key, draft.key));
    return { ...draft, status: groupStatus(own.map(({ status = 0 }) => ({ status }))) };
  });
  const nodes = [...tasks.map(({ draft }) => draft), ...groups].map((draft) => fitNode(draft, losses));
  return { nodes, links, leftOut: losses.list() };
}

interface TaskContext {
  readonly line: number;
  readonly dateFormat: string;
  /** The keys of the tasks by their ids. */
  readonly keys: Map<string, string>;
  readonly losses: LossReport;
}

/** `done, id, start, end`: states come first, and the id and the start may be missing. */
function taskOf(title: string, data: string, { line, dateFormat, keys, losses }: TaskContext): Task {
  const parts = data.split(',').map((part) => part.trim());
  const place = (value: string) => `line ${line}: ${value.slice(0, 100)}`;
  const states = new Set<string>();
  while (TAGS.has(parts[0] ?? '')) states.add(parts.shift() ?? '');
  for (const state of ['crit', 'milestone', 'vert'].filter((each) => states.has(each)))
    losses.note(`the mark ${state} of a task`, place(title));
  const end = parts.pop() ?? '';
  const start = parts.pop();
  const id = parts.pop() ?? '';
  for (const part of parts) losses.note('a further part of a task', place(part));
  const key = id === '' || keys.has(id) ? `line ${line}` : `id ${id}`;
  if (keys.has(id)) losses.note('the id of a second task with the same id', place(id));
  else if (id !== '') keys.set(id, key);
  const after = /^after\s/.test(start ?? '') ? start?.slice('after'.length) : undefined;
  if (start !== undefined && after === undefined) losses.note(START, place(start));
  const duration = DURATION.exec(end);
  const dueDate = duration === null ? dateIn(end, dateFormat) : null;
  const unit = UNITS.get(duration?.[2] ?? '') ?? 'minute';
  const volume = duration === null ? 0 : workMinutes(Number(duration[1]), unit);
  if (duration !== null) reportUnit(unit, losses);
  if (duration === null && dueDate === null && end !== '') losses.note('the end of a task', place(end));
  const status = states.has('done') ? 3 : states.has('active') ? 1 : 0;
  const draft: NodeDraft = { key, line, title, status, volume, dueDate };
  // Without a start, it begins after the task before it.
  return { draft, after: start === undefined ? null : (after ?? '').split(/\s+/).filter((each) => each !== '') };
}

const TOKENS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    YYYY: '(?<year>\\d{4})',
    MM: '(?<month>\\d{2})',
    DD: '(?<day>\\d{2})',
    M: '(?<month>\\d{1,2})',
    D: '(?<day>\\d{1,2})',
    HH: '(?<hour>\\d{2})',
    H: '(?<hour>\\d{1,2})',
    mm: '(?<minute>\\d{2})',
    ss: '(?<second>\\d{2})',
  }),
);

/** The date of a text in the format of the chart; null if it is none, or the format is not supported. */
function dateIn(text: string, format: string): string | null {
  const names = new Set<string>();
  let pattern = '';
  for (const [token] of format.slice(0, 40).matchAll(/YYYY|MM|DD|M|D|HH|H|mm|ss|[\s\S]/g)) {
    const group = TOKENS.get(token);
    const name = group?.slice(3, group.indexOf('>')) ?? '';
    if (group !== undefined && names.has(name)) return null;
    names.add(name);
    pattern += group ?? token.replace(/[^\w\s]/g, '\\$&');
  }
  // Backtracks: its parts have fixed lengths, and the text is short.
  const parts = new RegExp(`^${pattern}$`).exec(text.slice(0, 100))?.groups;
  if (parts?.year === undefined) return null;
  const two = (part = '01') => part.padStart(2, '0');
  const day = `${parts.year}-${two(parts.month)}-${two(parts.day)}`;
  const clock = `T${two(parts.hour)}:${two(parts.minute ?? '0')}:${two(parts.second ?? '0')}`;
  return dueDateInFile(parts.hour === undefined ? day : `${day}${clock}`);
}
