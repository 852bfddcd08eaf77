// The same tasks in the two formats that one program exports have the same fields and links.
import { expect, test } from 'vitest';
import { type ImportFormat, readFile } from '../formats.ts';
import type { TransferNode } from '../graph/transfer-graph.ts';

/** Titles with their fields, and links by titles, in the order of the alphabet. */
function tasksOf(text: string, format: ImportFormat, fields: readonly (keyof TransferNode)[]) {
  const { nodes, links } = readFile(text, format);
  const titles = new Map(nodes.map(({ key, title }) => [key, title]));
  return {
    nodes: nodes.map((node) => [node.title, ...fields.map((field) => node[field])]).sort(),
    links: links.map(({ source, target, type }) => `${titles.get(source)} ${type} ${titles.get(target)}`).sort(),
  };
}

const PROJECT_CSV = `ID,Name,Duration,Start,Finish,Predecessors,Outline Level,Resource Names,Priority,% Complete,Deadline
1,Soil,5 days,Mon 3/2/26 8:00 AM,Fri 3/6/26 5:00 PM,,1,,500,40%,NA
2,Dig,3 days,Mon 3/2/26 8:00 AM,Wed 3/4/26 5:00 PM,,2,Ann,700,100%,NA
3,Compost,2.5 days,Thu 3/5/26 8:00 AM,Fri 3/6/26 5:00 PM,2,2,"Ann,Bo",300,0%,Fri 3/20/26 5:00 PM
4,Plant,4 hrs,Mon 3/9/26 8:00 AM,Mon 3/9/26 12:00 PM,"1,3SS",1,,550,50%,Sat 3/21/26 12:30 PM
`;
const task = (uid: number, level: number, name: string, duration: string, more: string) =>
  `<Task><UID>${uid}</UID><Name>${name}</Name><OutlineLevel>${level}</OutlineLevel><Duration>${duration}</Duration>${more}</Task>`;
const assignment = (uid: number, person: number) =>
  `<Assignment><TaskUID>${uid}</TaskUID><ResourceUID>${person}</ResourceUID></Assignment>`;
const after = (uid: number, type: number) =>
  `<PredecessorLink><PredecessorUID>${uid}</PredecessorUID><Type>${type}</Type></PredecessorLink>`;
const done = (percent: number) => `<PercentComplete>${percent}</PercentComplete>`;
const PROJECT_XML = `<Project xmlns="http://schemas.microsoft.com/project"><Tasks>
${task(1, 1, 'Soil', 'PT40H0M0S', `<Priority>500</Priority>${done(40)}`)}
${task(2, 2, 'Dig', 'PT24H0M0S', `<Priority>700</Priority>${done(100)}`)}
${task(3, 2, 'Compost', 'PT20H0M0S', `<Priority>300</Priority>${done(0)}<Deadline>2026-03-20T17:00:00</Deadline>${after(2, 1)}`)}
${task(4, 1, 'Plant', 'PT4H0M0S', `<Priority>550</Priority>${done(50)}<Deadline>2026-03-21T12:30:00</Deadline>${after(1, 1)}${after(3, 3)}`)}
</Tasks><Resources><Resource><UID>1</UID><Name>Ann</Name></Resource><Resource><UID>2</UID><Name>Bo</Name></Resource></Resources>
<Assignments>${assignment(2, 1)}${assignment(3, 1)}${assignment(3, 2)}</Assignments></Project>`;

test('[IO11] a plan of Microsoft Project in CSV and in XML', () => {
  const fields = ['status', 'priority', 'volume', 'dueDate', 'assignee'] as const;
  const plan = tasksOf(PROJECT_CSV, 'csv', fields);
  expect(plan).toEqual(tasksOf(PROJECT_XML, 'msproject', fields));
  expect(plan.nodes).toEqual([
    ['Compost', 0, 0, 1_200, '2026-03-20T23:59:59.000Z', ['Ann', 'Bo']],
    ['Dig', 3, 2, 1_440, null, ['Ann']],
    ['Plant', 1, 1, 240, '2026-03-21T12:30:00.000Z', []],
    ['Soil', 1, 0, 0, null, []],
  ]);
});

const TRELLO_CSV = `Card ID,Card Name,Card Description,Labels,Members,Due Date,List Name,Due Complete
c1,Dig,Two spades deep,"heavy (green), (red)","Ann Gray (ann), Bo (bo)",2026-06-01T10:00:00.000Z,Doing,false
c2,Compost,,,,,Done,false
c3,Plant,,heavy (green),,,This week,true
`;
const card = (id: string, name: string, list: string, more: object = {}) => ({ id, name, idList: list, ...more });
const GREEN = { id: 'x', name: 'heavy', color: 'green' };
const TRELLO_JSON = JSON.stringify({
  name: 'Garden',
  lists: [
    { id: 'l1', name: 'Doing' },
    { id: 'l2', name: 'Done' },
    { id: 'l3', name: 'This week' },
  ],
  members: [
    { id: 'm1', fullName: 'Ann Gray', username: 'ann' },
    { id: 'm2', fullName: 'Bo', username: 'bo' },
  ],
  cards: [
    card('c1', 'Dig', 'l1', {
      desc: 'Two spades deep',
      due: '2026-06-01T10:00:00.000Z',
      idMembers: ['m1', 'm2'],
      labels: [GREEN, { id: 'y', name: '', color: 'red' }],
    }),
    card('c2', 'Compost', 'l2'),
    card('c3', 'Plant', 'l3', { dueComplete: true, labels: [GREEN] }),
  ],
});

test('[IO11] the cards of a board of Trello in CSV and in JSON', () => {
  const fields = ['description', 'status', 'tags', 'assignee', 'dueDate'] as const;
  const cards = tasksOf(TRELLO_CSV, 'csv', fields).nodes;
  expect(cards).toEqual(tasksOf(TRELLO_JSON, 'trello', fields).nodes.filter(([title]) => title !== 'Garden'));
  expect(cards.map(([title, , status, tags]) => [title, status, tags])).toEqual([
    ['Compost', 3, ['Done']],
    ['Dig', 1, ['Doing', 'heavy', 'red']],
    ['Plant', 3, ['This week', 'heavy']],
  ]);
});
