// Small plans in the formats of other programs, each with most of what the format can hold.
import type { ImportFormat } from '../../transfer/formats.ts';

const lines = (...all: readonly string[]) => `${all.join('\n')}\n`;

const GANTTPROJECT = lines(
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<project name="Garden" company="Green Ltd" view-date="2026-03-02" gantt-divider-location="300" version="3.3">',
  '  <description><![CDATA[Behind the house]]></description>',
  '  <view id="gantt-chart"><field id="tpd3" name="Name"/></view>',
  '  <calendars><day-types/></calendars>',
  '  <tasks empty-milestones="true">',
  '    <taskproperties><taskproperty id="tpc0" name="Depth" type="custom" valuetype="int"/></taskproperties>',
  '    <task id="0" name="Soil" start="2026-03-02" duration="5" complete="40" expand="false">',
  '      <task id="1" name="Dig &amp; turn" start="2026-03-02" duration="3" complete="100" priority="2" color="#00ff00">',
  '        <notes><![CDATA[',
  '          Two spades deep',
  '        ]]></notes>',
  '        <depend id="2" type="2" difference="0" hardness="Strong"/>',
  '      </task>',
  '      <task id="2" name="Compost" start="2026-03-05" duration="2" complete="30" webLink="https%3A%2F%2Fexample.org%2Fcompost">',
  '        <depend id="3" type="2" difference="1" hardness="Rubber"/>',
  '        <customproperty taskproperty-id="tpc0" value="40"/>',
  '      </task>',
  '    </task>',
  '    <task id="3" name="Plant" meeting="true" start="2026-03-09" duration="0" complete="0" priority="0">',
  '      <depend id="4" type="1" difference="0" hardness="Strong"/>',
  '    </task>',
  '    <task id="4" name="Water" start="2026-03-09" duration="4" complete="0"/>',
  '  </tasks>',
  '  <resources>',
  '    <resource id="0" name="Ann Gray" function="Default:0" contacts="ann@example.org" phone=""/>',
  '    <resource id="1" name="Bo" function="1" contacts="" phone=""/>',
  '  </resources>',
  '  <allocations>',
  '    <allocation task-id="1" resource-id="0" function="Default:0" responsible="true" load="50.0"/>',
  '  </allocations>',
  '  <vacations/><previous/><roles roleset-name="Default"/>',
  '</project>',
);

const task = (uid: number, level: number, name: string, more = '') =>
  `    <Task><UID>${uid}</UID><ID>${uid}</ID><Name>${name}</Name><OutlineLevel>${level}</OutlineLevel>${more}</Task>`;
const after = (uid: number, type: number, more = '') =>
  `<PredecessorLink><PredecessorUID>${uid}</PredecessorUID><Type>${type}</Type>${more}</PredecessorLink>`;
const MSPROJECT = lines(
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
  '<Project xmlns="http://schemas.microsoft.com/project">',
  '  <SaveVersion>14</SaveVersion><Name>garden.xml</Name><Title>Garden</Title>',
  '  <StartDate>2026-03-02T08:00:00</StartDate><DefaultFinishTime>18:00:00</DefaultFinishTime>',
  '  <Tasks>',
  task(0, 0, 'Garden', '<Summary>1</Summary><Duration>PT80H0M0S</Duration>'),
  task(1, 1, 'Soil', '<Summary>1</Summary><Duration>PT40H0M0S</Duration>'),
  task(
    2,
    2,
    'Dig &amp; turn',
    '<Duration>PT24H0M0S</Duration><PercentComplete>100</PercentComplete><Priority>700</Priority>',
  ),
  task(
    3,
    2,
    'Compost',
    `<Duration>PT16H30M0S</Duration><PercentComplete>30</PercentComplete><Notes>From the heap</Notes>${after(2, 1, '<LinkLag>4800</LinkLag><LagFormat>7</LagFormat>')}`,
  ),
  '    <Task><UID>4</UID><ID>4</ID><IsNull>1</IsNull></Task>',
  task(
    5,
    1,
    'Plant',
    `<Duration>PT8H0M0S</Duration><Deadline>2026-03-20T18:00:00</Deadline><Priority>300</Priority>${after(1, 1)}`,
  ),
  task(
    6,
    1,
    'Water',
    `<Duration>PT8H0M0S</Duration><Deadline>2026-03-21T12:30:00</Deadline><Start>2026-03-09T08:00:00</Start>${after(5, 3)}`,
  ),
  '  </Tasks>',
  '  <Resources>',
  '    <Resource><UID>0</UID><ID>0</ID><Type>1</Type></Resource>',
  '    <Resource><UID>1</UID><ID>1</ID><Name>Ann Gray</Name><Type>1</Type><EmailAddress>ann@example.org</EmailAddress></Resource>',
  '  </Resources>',
  '  <Assignments>',
  '    <Assignment><UID>1</UID><TaskUID>2</TaskUID><ResourceUID>1</ResourceUID><Units>0.5</Units></Assignment>',
  '    <Assignment><UID>2</UID><TaskUID>3</TaskUID><ResourceUID>-65535</ResourceUID><Units>1</Units></Assignment>',
  '  </Assignments>',
  '</Project>',
);

const ICALENDAR = lines(
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Tasks Inc//EN',
  'X-WR-CALNAME:Garden',
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Berlin',
  'END:VTIMEZONE',
  'BEGIN:VTODO',
  'UID:a@example.org',
  'DTSTAMP:20260301T100000Z',
  'SUMMARY:Soil\\, and mo',
  ' re',
  'DESCRIPTION:First line\\nsecond line',
  'DUE;TZID=Europe/Berlin:20260720T180000',
  'PRIORITY:1',
  'CATEGORIES:garden,"heavy\\, work"',
  'CATEGORIES:spring',
  'STATUS:IN-PROCESS',
  'PERCENT-COMPLETE:30',
  'X-APPLE-SORT-ORDER:5',
  'BEGIN:VALARM',
  'TRIGGER:-PT15M',
  'END:VALARM',
  'END:VTODO',
  'BEGIN:VTODO',
  'UID:b@example.org',
  'SUMMARY;LANGUAGE=en:Dig',
  'DUE;VALUE=DATE:20260721',
  'COMPLETED:20260719T100000Z',
  'RELATED-TO:a@example.org',
  'END:VTODO',
  'BEGIN:VTODO',
  'UID:c@example.org',
  'SUMMARY:Plant',
  'DUE:20260722T120000',
  'RRULE:FREQ=YEARLY',
  'RELATED-TO;RELTYPE=DEPENDS-ON:a@example.org',
  'RELATED-TO;RELTYPE=SIBLING:b@example.org',
  'RELATED-TO;RELTYPE=NEXT:b@example.org',
  'END:VTODO',
  'BEGIN:VEVENT',
  'UID:d@example.org',
  'SUMMARY:Show',
  'END:VEVENT',
  'END:VCALENDAR',
);

const TRELLO = JSON.stringify(
  {
    id: 'b1',
    name: 'Garden',
    desc: 'Behind the house',
    closed: false,
    prefs: { background: 'green' },
    lists: [
      { id: 'l1', name: 'To do', closed: false, pos: 1 },
      { id: 'l2', name: 'Old', closed: true, pos: 2 },
    ],
    labels: [{ id: 't1', name: 'heavy', color: 'red' }],
    members: [{ id: 'm1', fullName: 'Ann Gray', username: 'ann' }],
    cards: [
      {
        id: 'c2',
        name: 'Compost',
        desc: '',
        idList: 'l1',
        closed: false,
        pos: 200,
        due: '2026-03-20T12:00:00.000Z',
        dueComplete: true,
        labels: [{ id: 't1', name: 'heavy', color: 'red' }],
        idMembers: ['m1'],
        shortUrl: 'https://trello.com/c/x',
        attachments: [{ name: 'heap.png' }],
      },
      { id: 'c1', name: 'Dig', desc: 'Two spades deep', idList: 'l1', closed: false, pos: 100, idLabels: ['t1'] },
      { id: 'c3', name: 'Mow', idList: 'l2', closed: false, pos: 50 },
      { id: 'c4', name: 'Fence', idList: 'l1', closed: true, pos: 60 },
    ],
    checklists: [
      {
        id: 'k1',
        idCard: 'c1',
        name: 'Tools',
        checkItems: [
          { id: 'i2', name: 'Spade', state: 'incomplete', pos: 2, due: null, idMember: null },
          { id: 'i1', name: 'Boots', state: 'complete', pos: 1, idMember: 'm1' },
        ],
      },
      { id: 'k2', idCard: 'c4', name: 'Wood', checkItems: [{ id: 'i3', name: 'Posts', state: 'incomplete' }] },
    ],
    actions: [
      { id: 'a1', type: 'commentCard', data: { text: 'Soon?', card: { id: 'c1' } } },
      { id: 'a2', type: 'updateCard', data: { card: { id: 'c1' } } },
    ],
  },
  null,
  1,
);

const GITHUB_ACTIONS = lines(
  'name: Release',
  'on: [push]',
  'permissions: {contents: read}',
  'jobs:',
  '  build:',
  '    name: Build it',
  '    runs-on: ubuntu-latest',
  '    steps: &steps',
  '      - run: make',
  '  test:',
  '    needs: build',
  '    runs-on: ubuntu-latest',
  '    strategy: {matrix: {node: [20, 22]}}',
  '    steps: *steps',
  '  publish:',
  '    needs: [build, test, lint]',
  "    if: github.ref == 'refs/heads/main'",
  '    uses: ./.github/workflows/publish.yml',
);

const TURBO = lines(
  '{',
  '  // The schema.',
  '  "$schema": "https://turborepo.com/schema.json",',
  '  "globalEnv": ["CI"],',
  '  "tasks": {',
  '    "build": { "dependsOn": ["^build", "generate"], "outputs": ["dist/**"] },',
  '    "generate": { "cache": false, "description": "Makes types", },',
  '    "test": { "dependsOn": ["build", "$NODE_ENV"] }, /* both */',
  '    "web#test": { "dependsOn": ["build", "api#build", "missing"], "persistent": true },',
  '    "api#build": {},',
  '  },',
  '}',
);

const PATTERSON = lines('5 2', ' 10  4', '', '0 0 0 2 2 3', '4 3 0 1 4', '6 0', '  1 2 4 5', '2 1 1 1 5', '0 0 0 0');

const PSPLIB = lines(
  '****',
  'jobs (incl. supersource/sink ):  4',
  'RESOURCES',
  '  - renewable                 :  1   R',
  '****',
  'PRECEDENCE RELATIONS:',
  'jobnr.    #modes  #successors   successors',
  '   1        1          2           2   3',
  '   2        3          1           4',
  '   3        2          1           4',
  '   4        1          0',
  '****',
  'REQUESTS/DURATIONS:',
  'jobnr. mode duration  R 1  N 1',
  '------------------------',
  '  1      1     0       0    0',
  '  2      1     3       6    0',
  '         2     9       5    0',
  '         3    10       0    6',
  '  3      1     4       0    0',
  '         2     6       2    0',
  '  4      1     0       0    0',
  '****',
);

export interface PlanSample {
  readonly format: ImportFormat;
  readonly name: string;
  readonly text: string;
}

export const PLAN_SAMPLES: readonly PlanSample[] = [
  { format: 'ganttproject', name: 'garden.gan', text: GANTTPROJECT },
  { format: 'msproject', name: 'garden.xml', text: MSPROJECT },
  { format: 'icalendar', name: 'garden.ics', text: ICALENDAR },
  { format: 'trello', name: 'board.json', text: TRELLO },
  { format: 'github-actions', name: 'release.yml', text: GITHUB_ACTIONS },
  { format: 'turbo', name: 'turbo.json', text: TURBO },
  { format: 'patterson', name: 'plan.rcp', text: PATTERSON },
  { format: 'psplib', name: 'plan.mm', text: PSPLIB },
];

/** The text of the sample in this format. */
export function planSample(format: ImportFormat): string {
  const sample = PLAN_SAMPLES.find((each) => each.format === format);
  if (sample === undefined) throw new Error(`there is no sample of ${format}`);
  return sample.text;
}
