// Tables as thirteen programs export them, with the tasks, links and notes that an import makes of them.

export interface ProgramTable {
  readonly program: string;
  readonly text: string;
  /** Title, status, priority, volume, due date, tags and assignees. */
  readonly tasks: readonly (readonly [string, number, number, number, string | null, string, string])[];
  readonly links: readonly string[];
  /** Everything that is reported, except columns that are not read. */
  readonly losses: readonly string[];
}

export const TABLES: readonly ProgramTable[] = [
  {
    program: 'Jira',
    text: `Summary,Issue key,Issue id,Issue Type,Status,Priority,Resolution,Assignee,Reporter,Created,Due date,Labels,Labels,Labels,Description,Original estimate,Inward issue link (Blocks),Outward issue link (Blocks),Outward issue link (Blocks),Outward issue link (Relates),Custom field (Story Points),Parent,Parent key,Parent summary,Comment,Comment
Checkout,SHOP-1,10001,Epic,In Progress,High,,Ann Lee,Bob,12/Mar/26 9:15 AM,,,,,,,,,,,,,,,,
Choose a payment provider,SHOP-2,10002,Story,Done,Highest,Done,Ann Lee,Bob,12/Mar/26 9:20 AM,20/Mar/26 12:00 AM,payment,legal,,"Compare fees,
and contracts",14400,,SHOP-3,SHOP-4,,3.0,10001,SHOP-1,Checkout,"13/Mar/26;Bob;Two offers",
Card form,SHOP-3,10003,Story,Selected for Development,Medium,,,Bob,13/Mar/26 9:20 AM,3/Apr/26 5:00 PM,ui,,,,28800,SHOP-2,,,SHOP-4,5,10001,SHOP-1,Checkout,,
Refunds,SHOP-4,10004,Story,Won't Do,Lowest,Won't Do,Carl,Bob,13/Mar/26 9:30 AM,,,,,,5400,SHOP-2,SHOP-99,,,,10001,SHOP-1,Checkout,,
`,
    tasks: [
      ['Choose a payment provider', 3, 4, 3, '2026-03-20T23:59:59.000Z', 'payment+legal', 'Ann Lee'],
      ['Card form', 0, 2, 5, '2026-04-03T17:00:00.000Z', 'ui', ''],
      ['Refunds', 3, 1, 0, null, '', 'Carl'],
      ['Checkout', 1, 3, 0, null, '', 'Ann Lee'],
    ],
    links: [
      'Card form → Checkout',
      'Choose a payment provider → Card form',
      'Choose a payment provider → Checkout',
      'Choose a payment provider → Refunds',
      'Refunds → Checkout',
      'Refunds ⇢ Card form',
    ],
    losses: [
      'a word for a priority, which becomes: "High" → 3 (1 row)',
      'a word for a priority, which becomes: "Highest" → 4 (1 row)',
      'a word for a priority, which becomes: "Medium" → 2 (1 row)',
      'a word for a priority, which becomes: "Lowest" → 1 (1 row)',
      'a word for a status, which becomes: "Selected for Development" → Available (1 row)',
      'a word for a status, which becomes: "Won\'t Do" → Completed (1 row)',
      'a time without a time zone, which is read as UTC: the column "Due date"',
      'no task of the file has this name: line 6: "SHOP-99"',
    ],
  },
  {
    program: 'Linear',
    text: `ID,Team,Title,Description,Status,Estimate,Priority,Project ID,Project,Creator,Assignee,Labels,Cycle Number,Created,Updated,Started,Completed,Canceled,Due Date,Parent issue,Related to,Blocked by,UUID
ENG-1,Engineering,Import tables,All of them,In Progress,3,Urgent,,Q4,ann@example.com,ann@example.com,"Feature, Import",4,Tue Aug 04 2026 15:08:46 GMT+0000 (GMT),Tue Aug 04 2026 15:08:46 GMT+0000 (GMT),,,,Thu Dec 24 2026 00:00:00 GMT+0000 (GMT),,,,6d0f
ENG-2,Engineering,Column names,,Backlog,1,No priority,,Q4,ann@example.com,,,,Tue Aug 04 2026 15:08:46 GMT+0000 (GMT),,,,,,ENG-1,ENG-3,,6d1f
ENG-3,Engineering,Dates,,Todo,2,Low,,Q4,ann@example.com,bob@example.com,,,,,,,,,ENG-1,,"ENG-2, ENG-9",6d2f
`,
    tasks: [
      ['Column names', 0, 0, 1, null, '', ''],
      ['Dates', 0, 1, 2, null, '', 'bob@example.com'],
      ['Import tables', 1, 4, 3, '2026-12-24T00:00:00.000Z', 'Feature+Import', 'ann@example.com'],
    ],
    links: ['Column names → Dates', 'Column names → Import tables', 'Dates → Import tables'],
    losses: [
      'a word for a priority, which becomes: "Urgent" → 4 (1 row)',
      'a word for a priority, which becomes: "No priority" → 0 (1 row)',
      'a word for a priority, which becomes: "Low" → 1 (1 row)',
      'a word for a status, which becomes: "Backlog" → Available (1 row)',
      'no task of the file has this name: line 4: "ENG-9"',
      'a second link between two tasks: "Dates" (line 4) → "Column names" (line 3)',
    ],
  },
  {
    program: 'Asana',
    text: `Task ID,Created At,Completed At,Last Modified,Name,Section/Column,Assignee,Assignee Email,Start Date,Due Date,Tags,Notes,Projects,Parent task,Blocked By (Dependencies),Blocking (Dependencies)
1201,2026-01-02,2026-01-09,2026-01-09,"Plan, then print",Done,Ann Lee,ann@example.com,,2026-01-08,"print,paper",Ask first,Flyers,,,Post
1202,2026-01-02,,2026-01-09,Post,To do,,,2026-01-10,2026-01-12,,,Flyers,,"Plan, then print, Buy stamps",
1203,2026-01-02,,2026-01-09,Buy stamps,Doing,,,,,,,Flyers,Post,,
`,
    tasks: [
      ['Plan, then print', 3, 0, 0, '2026-01-08T23:59:59.000Z', 'print+paper', 'Ann Lee'],
      ['Buy stamps', 1, 0, 0, null, '', ''],
      ['Post', 0, 0, 0, '2026-01-12T23:59:59.000Z', '', ''],
    ],
    links: ['Buy stamps → Post', 'Plan, then print → Post'],
    losses: [
      'a list or section, which becomes the status: "Doing" → InProgress (1 row)',
      'the completion time of a task: line 2: "2026-01-09"',
    ],
  },
  {
    program: 'Plane',
    text: `ID,Project,Name,Description,State,Start Date,Target Date,Priority,Created By,Assignee,Labels,Cycle Name,Module Name,Parent,Created At,Updated At,Completed At
WEB-1,Web,Landing page,Text,Backlog,,"Thu, 24 Dec 2026",high,Ann,"Ann Lee, Bob",design,,,,"Mon, 02 Nov 2026",,
WEB-2,Web,Hero picture,,Cancelled,,24/12/2026,none,Ann,,,,,WEB-1,,,
`,
    tasks: [
      ['Hero picture', 3, 0, 0, '2026-12-24T23:59:59.000Z', '', ''],
      ['Landing page', 0, 3, 0, '2026-12-24T23:59:59.000Z', 'design', 'Ann Lee, Bob'],
    ],
    links: ['Hero picture → Landing page'],
    losses: [
      'a word for a status, which becomes: "Backlog" → Available (1 row)',
      'a word for a status, which becomes: "Cancelled" → Completed (1 row)',
      'a word for a priority, which becomes: "high" → 3 (1 row)',
      'the order of day and month in dates, which all dates of the column decide: "Target Date": day-first',
      'that a comma may separate two people: line 2',
    ],
  },
  {
    program: 'Notion',
    text: `Name,Assign,Status,Due,Priority,Tags,Blocked by,Parent item,Sub-item
Write the guide,Ann Lee,In progress,"December 24, 2026",High,"docs, web","Draft outline (https://www.notion.so/Draft-outline-1a2b?pvs=21)",,
Draft outline,Bob,Done,"November 3, 2026 → November 5, 2026",Low,,,,
Screens,,Not started,,,"",,Write the guide (../Tasks/Write%20the%20guide%201a.md),
`,
    tasks: [
      ['Draft outline', 3, 1, 0, '2026-11-05T23:59:59.000Z', '', 'Bob'],
      ['Screens', 0, 0, 0, null, '', ''],
      ['Write the guide', 1, 3, 0, '2026-12-24T23:59:59.000Z', 'docs+web', 'Ann Lee'],
    ],
    links: ['Draft outline → Write the guide', 'Screens → Write the guide'],
    losses: [
      'a word for a priority, which becomes: "High" → 3 (1 row)',
      'a word for a priority, which becomes: "Low" → 1 (1 row)',
      'the start of a period, of which the end is the due date: line 3: "November 3, 2026 → November 5, 2026"',
    ],
  },
  {
    program: 'Smartsheet',
    text: `Task Name,Duration,Start,Finish,Predecessors,Assigned To,% Complete,Status,Comments
Design,5d,01/04/27,01/08/27,,Ann,100%,Complete,
Build,2w,01/11/27,01/22/27,1,Bob,50%,In Progress,
Test,~3d,01/25/27,01/27/27,2FS +2d,Bob,0%,Not Started,
Docs,4d,01/11/27,01/14/27,"1SS, 2FF",,0%,On Hold,
`,
    tasks: [
      ['Design', 3, 0, 2_400, '2027-01-08T23:59:59.000Z', '', 'Ann'],
      ['Build', 1, 0, 4_800, '2027-01-22T23:59:59.000Z', '', 'Bob'],
      ['Test', 0, 0, 1_440, '2027-01-27T23:59:59.000Z', '', 'Bob'],
      ['Docs', 0, 0, 1_920, '2027-01-14T23:59:59.000Z', '', ''],
    ],
    links: ['Build → Test', 'Build ⇢ Docs', 'Design → Build', 'Design ⇢ Docs'],
    losses: [
      'a word for a status, which becomes: "On Hold" → Available (1 row)',
      'the order of day and month in dates, which all dates of the column decide: "Finish": month-first',
      'the unit of durations, which become minutes of work: "Duration": 1 day is 480 minutes',
      'the mark of a duration that is an estimate: line 4: "~3d"',
      'tasks that are named by the numbers of their rows: the field waitsFor',
      'the lag of a dependency: line 4: "2FS +2d"',
      'a dependency of the type start to start, which becomes a link that does not block: line 5: "1SS"',
      'a dependency of the type finish to finish, which becomes a link that does not block: line 5: "2FF"',
    ],
  },
  {
    program: 'Microsoft Project',
    text: `ID,Active,Task Mode,Name,Duration,Start,Finish,Predecessors,Outline Level,Resource Names,Priority,% Complete,Notes,Deadline
1,Yes,Auto Scheduled,Launch,15 days,Mon 1/4/27 8:00 AM,Fri 1/22/27 5:00 PM,,1,,500,33%,,NA
2,Yes,Auto Scheduled,Write the texts,5 days,Mon 1/4/27 8:00 AM,Fri 1/8/27 5:00 PM,,2,Ann,500,100%,,NA
3,Yes,Auto Scheduled,Build the pages,10 days?,Mon 1/11/27 8:00 AM,Fri 1/22/27 5:00 PM,"2FS+1 day",2,"Ann,Bob[50%]",700,0%,Two people,Fri 1/29/27 5:00 PM
4,Yes,Manually Scheduled,Go live,0 days,Fri 1/22/27 5:00 PM,Fri 1/22/27 5:00 PM,"1;3FF-2 days",1,,500,0%,,NA
`,
    tasks: [
      ['Write the texts', 3, 0, 2_400, null, '', 'Ann'],
      ['Build the pages', 0, 2, 4_800, '2027-01-29T23:59:59.000Z', '', 'Ann+Bob'],
      ['Launch', 1, 0, 0, null, '', ''],
      ['Go live', 0, 0, 0, null, '', ''],
    ],
    links: [
      'Build the pages → Launch',
      'Build the pages ⇢ Go live',
      'Launch → Go live',
      'Write the texts → Build the pages',
      'Write the texts → Launch',
    ],
    losses: [
      'the order of day and month in dates, which all dates of the column decide: "Deadline": month-first',
      'the unit of durations, which become minutes of work: "Duration": 1 day is 480 minutes',
      'the progress of a task: line 2: "33%"',
      'the duration of a task with subtasks, which have durations of their own: line 2: "15 days"',
      'the mark of a duration that is an estimate: line 4: "10 days?"',
      'the share of a person in a task: line 4: "Bob[50%]"',
      'the lag of a dependency: line 4: "2FS+1 day"',
      'the lag of a dependency: line 5: "3FF-2 days"',
      'a dependency of the type finish to finish, which becomes a link that does not block: line 5: "3FF-2 days"',
    ],
  },
  {
    program: 'Pivotal Tracker',
    text: `Id,Title,Labels,Iteration,Iteration Start,Iteration End,Type,Estimate,Priority,Current State,Created at,Accepted at,Deadline,Requested By,Description,URL,Owned By,Owned By,Blocker,Blocker Status,Task,Task Status,Comment
101,Sign in,"auth, web",1,"Nov 16, 2026","Nov 22, 2026",feature,3,p1 - High,accepted,"Nov 10, 2026","Nov 20, 2026",,Ann,As a user,https://www.pivotaltracker.com/story/show/101,Ann,Bob,,,Form,completed,
102,Sign out,auth,2,"Nov 23, 2026","Nov 29, 2026",feature,1,none,finished,"Nov 10, 2026",,"Dec 1, 2026",Ann,,https://www.pivotaltracker.com/story/show/102,Bob,,#101 must be done,resolved,,,
`,
    tasks: [
      ['Sign in', 3, 3, 3, null, 'auth+web', 'Ann+Bob'],
      ['Sign out', 1, 0, 1, '2026-12-01T23:59:59.000Z', 'auth', 'Bob'],
    ],
    links: ['Sign in → Sign out'],
    losses: [
      'a word for a priority, which becomes: "p1 - High" → 3 (1 row)',
      'a word for a status, which becomes: "finished" → InProgress (1 row)',
    ],
  },
  {
    program: 'Redmine',
    text: `#;Project;Tracker;Parent task;Status;Priority;Subject;Author;Assignee;Updated;Start date;Due date;Estimated time;% Done;Related issues
12;Web;Feature;;In Progress;Immediate;Shop;Ann;Bob;24.12.2026 10:00;01.12.2026;31.12.2026;8,0;50;
13;Web;Bug;12;New;Normal;Cart;Ann;;24.12.2026 10:00;;30.12.2026;1,5;0;"Blocked by #14, Related to #12"
14;Web;Bug;12;Resolved;High;Prices;Ann;;24.12.2026 10:00;;;;100;"Blocks #13, Precedes #12 (2 days)"
`,
    tasks: [
      ['Prices', 3, 3, 0, null, '', ''],
      ['Cart', 0, 2, 90, '2026-12-30T23:59:59.000Z', '', ''],
      ['Shop', 1, 5, 480, '2026-12-31T23:59:59.000Z', '', 'Bob'],
    ],
    links: ['Cart → Shop', 'Prices → Cart', 'Prices → Shop'],
    losses: [
      'a word for a priority, which becomes: "Immediate" → 5 (1 row)',
      'a word for a priority, which becomes: "Normal" → 2 (1 row)',
      'a word for a priority, which becomes: "High" → 3 (1 row)',
      'the unit of durations, which become minutes of work: "Estimated time": 1 hour is 60 minutes',
      'the lag of a dependency: line 4: "Precedes #12 (2 days)"',
      'a second link between two tasks: "Shop" (line 2) → "Cart" (line 3)',
    ],
  },
  {
    program: 'GitLab',
    text: `Title,Description,Issue ID,URL,State,Author,Author Username,Assignee,Assignee Username,Confidential,Locked,Due Date,Created At (UTC),Updated At (UTC),Closed At (UTC),Milestone,Weight,Labels,Time Estimate,Time Spent,Epic ID,Epic Title
Broken link,See the page,7,https://gitlab.com/a/b/-/issues/7,Open,Ann,ann,Bob,bob,No,No,2026-12-24,2026-01-01 10:00:00,2026-01-02 10:00:00,,v1,,"bug,docs",7200,0,,
Faster start,,8,https://gitlab.com/a/b/-/issues/8,Closed,Ann,ann,,,No,No,,2026-01-01 10:00:00,2026-01-02 10:00:00,2026-01-03 10:00:00,,,,1800,0,,
`,
    tasks: [
      ['Broken link', 0, 0, 120, '2026-12-24T23:59:59.000Z', 'bug+docs', 'Bob'],
      ['Faster start', 3, 0, 30, null, '', ''],
    ],
    links: [],
    losses: ['the unit of durations, which become minutes of work: "Time Estimate": 60 seconds are 1 minute'],
  },
  {
    program: 'Trello',
    text: `Card ID,Card Name,Card URL,Card Description,Labels,Members,Due Date,Attachment Count,Attachment Links,Checklist Item Total Count,Checklist Item Completed Count,Vote Count,Comment Count,Last Activity Date,List ID,List Name,Board ID,Board Name,Archived,Start Date,Due Complete
5f1,Paint the fence,https://trello.com/c/abc/1,Two coats,"garden (green),tools (red)","Ann Lee (ann), Bob (bob)",2026-06-01T10:00:00.000Z,0,,0,0,0,0,2026-05-01T10:00:00.000Z,l1,Doing,b1,House,false,,false
5f2,Buy paint,https://trello.com/c/abd/2,,,,2026-05-30T10:00:00.000Z,0,,0,0,0,0,2026-05-01T10:00:00.000Z,l2,This week,b1,House,false,,true
`,
    tasks: [
      ['Paint the fence', 1, 0, 0, '2026-06-01T10:00:00.000Z', 'Doing+garden+tools', 'Ann Lee+Bob'],
      ['Buy paint', 3, 0, 0, '2026-05-30T10:00:00.000Z', 'This week', ''],
    ],
    links: [],
    losses: [
      'a list or section, which becomes the status: "Doing" → InProgress (1 row)',
      'the colour of a label: "garden"',
      'the colour of a label: "tools"',
      'the user name of a person: "Ann Lee"',
      'the user name of a person: "Bob"',
    ],
  },
  {
    program: 'ClickUp',
    text: `Task Type,Task ID,Task Custom ID,Task Name,Task Content,Status,Date Created,Date Created Text,Due Date,Due Date Text,Start Date,Start Date Text,Parent ID,Attachments,Assignees,Tags,Priority,List Name,Folder Name/Path,Space Name,Time Estimated,Time Estimated Text,Checklists,Comments
Task,86a1,null,Ship the box,Fragile,in progress,1767225600000,"12/31/2025, 4:00:00 PM PST",1798070400000,"12/23/2026, 4:00:00 PM PST",,,null,[],"[Ann Lee,Bob]","[post,box]",1,Orders,hidden,Shop,3600000,1 h,{},[]
Task,86a2,null,Print the label,,complete,1767225600000,"12/31/2025, 4:00:00 PM PST",,,,,86a1,[],[],[],4,Orders,hidden,Shop,900000,15 m,{},[]
`,
    tasks: [
      ['Print the label', 3, 1, 15, null, '', ''],
      ['Ship the box', 1, 4, 60, '2026-12-24T00:00:00.000Z', 'post+box', 'Ann Lee+Bob'],
    ],
    links: ['Print the label → Ship the box'],
    losses: [
      'a word for a priority, which becomes: "1" → 4 (1 row)',
      'a word for a priority, which becomes: "4" → 1 (1 row)',
      'the unit of durations, which become minutes of work: "Time Estimated": 60000 milliseconds are 1 minute',
    ],
  },
  {
    program: 'TickTick',
    text: `"Date: 2026-06-18+0000"
"Version: 7.1"
"Status: 
0 Normal
1 Completed
2 Archived"
"Folder Name","List Name","Title","Kind","Tags","Content","Is Check list","Start Date","Due Date","Reminder","Repeat","Priority","Status","Created Time","Completed Time","Order","Timezone","Is All Day","Is Floating","Column Name","Column Order","View Mode","taskId","parentId"
"Home","Garden","Rake leaves","TEXT","autumn, garden","Front and back","N","2026-10-01T22:00:00+0000","2026-10-01T22:00:00+0000","","","5","0","2026-09-01T10:00:00+0000","","-1","Europe/Berlin","true","false",,,"list","1",""
"Home","Garden","Buy a rake","TEXT","","","N","","","","","0","2","2026-09-01T10:00:00+0000","2026-09-02T10:00:00+0000","-2","Europe/Berlin",,"false",,,"list","2","1"
`,
    tasks: [
      ['Buy a rake', 3, 0, 0, null, '', ''],
      ['Rake leaves', 0, 5, 0, '2026-10-01T22:00:00.000Z', 'autumn+garden', ''],
    ],
    links: ['Buy a rake → Rake leaves'],
    losses: [
      'a word for a status, which becomes: "0" → Available (1 row)',
      'a word for a status, which becomes: "2" → Completed (1 row)',
      'a line above the heads: line 1: "Date: 2026-06-18+0000"',
      'a line above the heads: line 2: "Version: 7.1"',
      'a line above the heads: line 3: "Status: \\n0 Normal\\n1 Completed\\n2 Archived"',
    ],
  },
];
