// Reads the tasks (VTODO) of calendars (RFC 5545) and their relations. Rules: IO2, IO6, IO9.
import { dueDateInFile } from '../../../values/days.ts';
import { CALENDAR_FIELDS, TASK_FIELDS } from '../../fields/plans/icalendar.ts';
import { reportFields } from '../../fields/source-field.ts';
import { blockingLink, createLinks, relatedLink, type UniqueLinks } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import { BrokenFile, excerpt, placeOf, type TransferGraph, type TransferNode } from '../../graph/transfer-graph.ts';
import {
  type IcalendarComponent,
  type IcalendarProperty,
  readIcalendarLines,
  unescapeText,
  unescapeTexts,
} from '../../text/icalendar-lines.ts';
import { instantInZone } from '../../text/zone-time.ts';
import { reportPriority, UNKNOWN_PRIORITY } from '../../values/priority-values.ts';
import { statusFrom, statusOfProgress } from '../../values/status-values.ts';

/** By the priority in the file: 1 is the highest, 9 the lowest, and 0 means none. */
const PRIORITIES = [0, 5, 4, 3, 3, 2, 1, 1, 1, 1] as const;
/** The priority in the file that an export writes for each of ours. */
const WRITTEN_PRIORITIES = new Set([0, 1, 2, 3, 5, 9]);
const OTHER_COMPONENTS: ReadonlyMap<string, string | null> = new Map(
  Object.entries({
    VEVENT: 'an event',
    VJOURNAL: 'a journal entry',
    VFREEBUSY: 'a list of free and busy times',
    VALARM: 'a reminder',
    // Names of zones are looked up.
    VTIMEZONE: null,
  }),
);

interface Task {
  readonly key: string;
  readonly place: string;
  readonly component: IcalendarComponent;
}

/** Reads calendars. A child blocks its parent. Throws a BrokenFile. */
export function readIcalendar(text: string): TransferGraph {
  const losses = createLossReport();
  const tasks = new Map<string, Task>();
  const calendars = readIcalendarLines(text);
  if (calendars.length === 0) throw new BrokenFile(null, 'it has no calendar');
  for (const calendar of calendars) {
    if (calendar.name !== 'VCALENDAR')
      throw new BrokenFile(calendar.line, `${excerpt(calendar.name)} is not a calendar`);
    reportFields(valuesOf(calendar), CALENDAR_FIELDS, `line ${calendar.line}`, losses, 'of the calendar, the property');
    for (const component of calendar.components) {
      if (component.name === 'VTODO') addTask(component, tasks, losses);
      else reportComponent(component, losses);
    }
  }
  const links = createLinks();
  const drafts = [...tasks.values()].map((task) => {
    addRelations(task, tasks, links, losses);
    return taskOf(task, losses);
  });
  return { nodes: drafts.map((draft) => fitNode(draft, losses)), links: links.list, leftOut: losses.list() };
}

/** The values of properties by name, for the report. */
function valuesOf({ properties }: IcalendarComponent): Record<string, string> {
  const values = Object.create(null) as Record<string, string>;
  for (const { name, value } of properties) values[name] = (values[name] ?? '') || value;
  return values;
}

function reportComponent({ name, line, properties }: IcalendarComponent, losses: LossReport): void {
  const what = OTHER_COMPONENTS.get(name);
  const title = properties.find((property) => property.name === 'SUMMARY')?.value ?? '';
  const place = title === '' ? `line ${line}` : `${excerpt(title)} (line ${line})`;
  if (what !== null) losses.note(what ?? `the component ${excerpt(name)}`, place);
}

function propertyValue({ properties }: IcalendarComponent, name: string): string {
  return properties.find((property) => property.name === name)?.value ?? '';
}

/** Properties that RFC 5545 allows several times. */
const REPEATED = new Set(['CATEGORIES', 'RELATED-TO']);
/** Parameters that are read, by property. */
const PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    DUE: ['VALUE', 'TZID'],
    'RELATED-TO': ['RELTYPE'],
    SUMMARY: ['LANGUAGE'],
    DESCRIPTION: ['LANGUAGE'],
  }),
);

function addTask(component: IcalendarComponent, tasks: Map<string, Task>, losses: LossReport): void {
  const summary = unescapeText(propertyValue(component, 'SUMMARY'));
  const place = placeOf({ title: summary, line: component.line });
  // The standard demands a UID, and some programs leave it out.
  const key = propertyValue(component, 'UID').trim() || `line ${component.line}`;
  if (propertyValue(component, 'RECURRENCE-ID') !== '') {
    losses.note('a changed occurrence of a recurring task', place);
    return;
  }
  if (tasks.has(key)) {
    losses.note('a second task with the same UID', place);
    return;
  }
  tasks.set(key, { key, place, component });
  reportFields(valuesOf(component), TASK_FIELDS, place, losses, 'the property');
  for (const inner of component.components) reportComponent(inner, losses);
  reportParameters(component, place, losses);
}

/** Reports parameters and second values of properties that are read. */
function reportParameters({ properties }: IcalendarComponent, place: string, losses: LossReport): void {
  const seen = new Set<string>();
  for (const { name, parameters } of properties) {
    if (TASK_FIELDS[name]?.isRead !== true) continue;
    if (seen.has(name) && !REPEATED.has(name)) losses.note(`a second property ${name}`, place);
    seen.add(name);
    for (const parameter of parameters.keys()) {
      if (PARAMETERS.get(name)?.includes(parameter) !== true)
        losses.note(`the parameter ${excerpt(parameter)} of ${name}`, place);
    }
  }
}

function taskOf({ key, place, component }: Task, losses: LossReport): NodeDraft {
  const due = component.properties.find(({ name }) => name === 'DUE');
  const categories = component.properties.filter(({ name }) => name === 'CATEGORIES');
  return {
    key,
    line: component.line,
    title: unescapeText(propertyValue(component, 'SUMMARY')),
    description: unescapeText(propertyValue(component, 'DESCRIPTION')),
    status: statusOf(component, place, losses),
    priority: priorityOf(propertyValue(component, 'PRIORITY').trim(), place, losses),
    dueDate: due === undefined ? null : dueOf(due, place, losses),
    tags: categories.flatMap(({ value }) => unescapeTexts(value)),
  };
}

/** Programs that write no status write a time of completion or the progress. */
function statusOf(component: IcalendarComponent, place: string, losses: LossReport): TransferNode['status'] {
  const text = propertyValue(component, 'STATUS').trim();
  const progress = statusOfProgress(propertyValue(component, 'PERCENT-COMPLETE').trim(), place, losses);
  const status = statusFrom(text, place, losses);
  if (status !== 0) return status;
  if (text === '' && propertyValue(component, 'COMPLETED') !== '') return 3;
  return text === '' || progress === 1 ? progress : 0;
}

function priorityOf(text: string, place: string, losses: LossReport): number {
  const value = text === '' ? 0 : Number(text);
  const priority = PRIORITIES[value];
  if (priority === undefined) losses.note(UNKNOWN_PRIORITY, `${place}: ${excerpt(text)}`);
  else if (!WRITTEN_PRIORITIES.has(value)) reportPriority(text, priority, place, losses);
  return priority ?? 0;
}

/** 20261224, 20261224T180000Z, or a time of a zone or without one. */
function dueOf({ value, parameters }: IcalendarProperty, place: string, losses: LossReport): string | null {
  const [, year, month, day, hours, minutes, seconds, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/.exec(value.trim()) ?? [];
  const date = `${year}-${month}-${day}`;
  const clock = `${date}T${hours}:${minutes}:${seconds}`;
  const due = dueDateInFile(hours === undefined ? date : `${clock}Z`);
  if (due === null) losses.note('a due date that is not a time', `${place}: ${value.slice(0, 40)}`);
  if (due === null || hours === undefined || utc !== undefined) return due;
  const inZone = instantInZone(clock, parameters.get('TZID') ?? '');
  if (inZone === null) losses.note('the time zone of a due date, which is read as UTC', place);
  return inZone ?? due;
}

function addRelations(
  { key, place, component }: Task,
  tasks: ReadonlyMap<string, Task>,
  links: UniqueLinks,
  losses: LossReport,
): void {
  for (const { name, parameters, value } of component.properties) {
    if (name !== 'RELATED-TO') continue;
    // Exports escape the UID as a text.
    const other = tasks.has(value.trim()) ? value.trim() : unescapeText(value.trim());
    const type = (parameters.get('RELTYPE') ?? 'PARENT').toUpperCase();
    const arrow = `${place} → ${other.slice(0, 60)}`;
    if (!tasks.has(other)) losses.note('a relation to a task that is not in the file', arrow);
    else if (type === 'PARENT') links.add(blockingLink(key, other));
    else if (type === 'CHILD' || type === 'DEPENDS-ON') links.add(blockingLink(other, key));
    else if (type === 'SIBLING') links.add(relatedLink(key, other));
    else {
      links.add(relatedLink(key, other));
      losses.note(`a relation of the type ${excerpt(type)}, which becomes a link that does not block`, arrow);
    }
  }
}
