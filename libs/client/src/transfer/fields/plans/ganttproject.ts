// The attributes and elements of GanttProject's plans. Rule: IO9.
import { all, IMPLIED, nested, READ, type SourceFields, unread } from '../source-field.ts';

const isTrue = (value: unknown) => value === 'true';

export const PROJECT_FIELDS: SourceFields = {
  ...all(['name', 'description', 'tasks', 'resources', 'allocations'], READ),
  company: unread('the organisation of a project'),
  webLink: unread('the web address of a project', (value) => value !== '' && value !== 'http://'),
  calendars: unread('the calendar of a project'),
  vacations: unread('the days off of people'),
  previous: unread('the baselines of a project'),
  // The roles of people are reported at the people who have them.
  ...all(['view', 'view-date', 'view-index', 'gantt-divider-location', 'resource-divider-location'], IMPLIED),
  ...all(['version', 'locale', 'roles'], IMPLIED),
};

const PROPERTY_FIELDS: SourceFields = {
  ...all(['id', 'name', 'type', 'valuetype'], IMPLIED),
  defaultvalue: unread('the default value of a custom column'),
  'simple-select': unread('the formula of a custom column'),
};
export const TASKS_FIELDS: SourceFields = {
  'empty-milestones': IMPLIED,
  task: READ,
  taskproperties: nested({ taskproperty: nested(PROPERTY_FIELDS, 'name') }, 'name'),
};

export const DEPENDENCY_FIELDS: SourceFields = {
  id: READ,
  type: READ,
  difference: unread('the lag of a dependency'),
  hardness: unread('that a dependency is soft', (value) => value === 'Rubber'),
};
export const TASK_FIELDS: SourceFields = {
  ...all(
    ['id', 'name', 'complete', 'priority', 'notes', 'webLink', 'duration', 'meeting', 'task', 'expand', 'depend'],
    READ,
  ),
  start: unread('the scheduled start of a task'),
  ...all(['thirdDate', 'thirdDate-constraint', 'fixed-start'], unread('the earliest start of a task')),
  color: unread('a colour'),
  shape: unread('the pattern of a task'),
  project: unread('the project mark of a task', isTrue),
  'cost-manual-value': unread('the cost of a task'),
  customproperty: unread('a value of a custom column'),
  ...all(['uid', 'cost-calculated'], IMPLIED),
};
export const RESOURCE_FIELDS: SourceFields = {
  ...all(['id', 'name'], READ),
  function: unread('the role of a person', (value) => value !== '' && value !== 'Default:0'),
  contacts: unread('the e-mail address of a person'),
  phone: unread('the telephone number of a person'),
  rate: unread('the rate of a person'),
  'custom-property': unread('a value of a custom column of people'),
};
export const ALLOCATION_FIELDS: SourceFields = {
  ...all(['task-id', 'resource-id'], READ),
  load: unread('the load of a person in a task', (value) => value !== '' && Number(value) !== 100),
  function: unread('the role of a person in a task', (value) => value !== '' && value !== 'Default:0'),
  responsible: unread('the coordinator of a task', isTrue),
};

export const GANTTPROJECT_FIELDS = {
  'the project': PROJECT_FIELDS,
  'the tasks': TASKS_FIELDS,
  'a task': TASK_FIELDS,
  'a dependency': DEPENDENCY_FIELDS,
  'a person': RESOURCE_FIELDS,
  'a person in a task': ALLOCATION_FIELDS,
} as const satisfies Record<string, SourceFields>;
