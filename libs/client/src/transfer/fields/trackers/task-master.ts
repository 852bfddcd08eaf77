// The fields of Task Master's tasks.json, from its first releases to those with tags. Rule: IO9.
import {
  all,
  CHANGE_TIME,
  CREATION_TIME,
  IMPLIED,
  READ,
  readInPart,
  type SourceFields,
  unread,
} from '../source-field.ts';

const GUIDANCE_FIELDS: SourceFields = {
  relevantFiles: unread('the files of a task'),
  codebasePatterns: unread('the code patterns of a task'),
  existingInfrastructure: unread('the infrastructure of a task'),
  scopeBoundaries: unread('the scope of a task'),
  implementationApproach: unread('the approach of a task'),
  technicalConstraints: unread('the constraints of a task'),
  skills: unread('the skills of a task'),
  category: unread('the category of a task'),
};
export const TASK_FIELDS: SourceFields = {
  ...all(['id', 'title', 'description', 'details', 'testStrategy', 'acceptanceCriteria'], READ),
  ...all(['status', 'priority', 'dependencies', 'subtasks', 'tags', 'assignee', 'effort'], READ),
  ...GUIDANCE_FIELDS,
  actualEffort: unread('the actual effort of a task'),
  ...all(
    ['complexity', 'complexityScore', 'recommendedSubtasks', 'expansionPrompt', 'complexityReasoning'],
    unread('the complexity of a task'),
  ),
  ...all(['createdAt', 'created'], unread(CREATION_TIME)),
  ...all(['updatedAt', 'updated'], unread(CHANGE_TIME)),
  previousStatus: unread('the previous status of a task'),
  metadata: unread('the metadata of a task'),
  ...all(['parentId', 'parentTaskId', 'databaseId'], IMPLIED),
};
export const TAG_FIELDS: SourceFields = { tasks: READ, metadata: readInPart('the metadata of a list') };

export const TASK_MASTER_FIELDS = {
  'a list of tasks': TAG_FIELDS,
  'a task or subtask': TASK_FIELDS,
} as const satisfies Record<string, SourceFields>;
