// Writes a plan of Microsoft Project in XML: tasks with predecessors, and an assignment for each
// assignee. Rule: IO2.
import { dayOf } from '../../values/days.ts';
import type { LossReport } from '../graph/loss-report.ts';
import { placeOf, push, type TransferGraph, type TransferNode, type WriteOptions } from '../graph/transfer-graph.ts';
import { escapeXml } from '../text/xml-text.ts';
import { PROJECT_FINISH_TIME, PROJECT_PRIORITIES } from '../values/project-values.ts';
import { HIGHEST_PRIORITY } from './unsupported-fields.ts';

const FINISH_TO_START = 1;
const IN_MINUTES = 3;
const PERSON = 1;

/** Assignees and assignments begin at 1, as tasks do. */
export function writeMsproject({ nodes, links }: TransferGraph, { now }: WriteOptions, losses: LossReport): string {
  const numbers = new Map(nodes.map(({ key }, index) => [key, index + 1]));
  const predecessors = new Map<string, number[]>();
  for (const { source, target, type } of links) {
    const number = numbers.get(source);
    if (type === 0 && number !== undefined) push(predecessors, target, number);
  }
  const people = new Map(
    [...new Set(nodes.flatMap(({ assignee }) => assignee))].map((name, index) => [name, index + 1]),
  );
  const assignments = nodes.flatMap(({ key, assignee }) =>
    assignee.map((name) => [numbers.get(key) ?? 0, people.get(name) ?? 0] as const),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
    '<Project xmlns="http://schemas.microsoft.com/project">',
    element('CreationDate', now.slice(0, 19)),
    element('DefaultFinishTime', PROJECT_FINISH_TIME),
    '<Tasks>',
    ...nodes.flatMap((node, index) => taskLines(node, index + 1, predecessors.get(node.key) ?? [], losses)),
    '</Tasks>',
    '<Resources>',
    ...[...people].flatMap(([name, uid]) => personLines(name, uid)),
    '</Resources>',
    '<Assignments>',
    ...assignments.flatMap(([task, person], index) => assignmentLines(index + 1, task, person)),
    '</Assignments>',
    '</Project>',
    '',
  ].join('\n');
}

function taskLines(node: TransferNode, uid: number, predecessors: readonly number[], losses: LossReport): string[] {
  const { title, description, status, priority, volume, dueDate } = node;
  return [
    '<Task>',
    element('UID', uid),
    element('ID', uid),
    element('Name', title),
    element('OutlineNumber', uid),
    element('OutlineLevel', 1),
    element(
      'Priority',
      PROJECT_PRIORITIES.normal + PROJECT_PRIORITIES.step * Math.min(priority, HIGHEST_PRIORITY.msproject),
    ),
    element('Duration', `PT${Math.floor(volume / 60)}H${volume % 60}M0S`),
    element('DurationFormat', IN_MINUTES),
    element('PercentComplete', status === 3 ? 100 : 0),
    ...(dueDate === null ? [] : [element('Deadline', deadlineOf(dueDate, node, losses))]),
    ...(description === '' ? [] : [element('Notes', description)]),
    ...predecessors.flatMap((predecessor) => [
      '<PredecessorLink>',
      element('PredecessorUID', predecessor),
      element('Type', FINISH_TO_START),
      '</PredecessorLink>',
    ]),
    '</Task>',
  ];
}

/** Times in the file have no zone. They are written in UTC. */
function deadlineOf(dueDate: string, node: TransferNode, losses: LossReport): string {
  const day = dayOf(dueDate);
  if (day !== null) return `${day}T${PROJECT_FINISH_TIME}`;
  const isDayThere = dueDate.endsWith(`T${PROJECT_FINISH_TIME}.000Z`) || dueDate.endsWith('T00:00:00.000Z');
  losses.note(
    isDayThere ? 'a due time that stands for a day there' : 'the time zone of a due time, which is UTC',
    placeOf(node),
  );
  return dueDate.slice(0, 'YYYY-MM-DDThh:mm:ss'.length);
}

function personLines(name: string, uid: number): string[] {
  return [
    '<Resource>',
    element('UID', uid),
    element('ID', uid),
    element('Name', name),
    element('Type', PERSON),
    '</Resource>',
  ];
}

function assignmentLines(uid: number, task: number, person: number): string[] {
  return [
    '<Assignment>',
    element('UID', uid),
    element('TaskUID', task),
    element('ResourceUID', person),
    element('Units', 1),
    '</Assignment>',
  ];
}

function element(name: string, value: string | number): string {
  return `<${name}>${escapeXml(String(value))}</${name}>`;
}
