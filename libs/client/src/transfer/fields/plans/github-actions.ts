// The fields of workflows of GitHub Actions. Rule: IO9.
import { all, READ, type SourceFields, unread } from '../source-field.ts';

/** In YAML 1.1, `on` without quotes is the value true. */
const EVENTS = ['on', 'true'] as const;

export const WORKFLOW_FIELDS: SourceFields = {
  ...all(['name', 'jobs'], READ),
  ...all(EVENTS, unread('the events that start a workflow')),
  'run-name': unread('the name of the runs of a workflow'),
  ...all(['env', 'defaults', 'permissions', 'concurrency'], unread('the settings of a workflow')),
};
export const JOB_FIELDS: SourceFields = {
  ...all(['name', 'needs'], READ),
  steps: unread('the steps of a job'),
  ...all(['uses', 'with', 'secrets'], unread('the workflow that a job calls')),
  if: unread('the condition of a job'),
  strategy: unread('the matrix of a job'),
  ...all(['runs-on', 'container', 'services', 'environment'], unread('the machine and environment of a job')),
  ...all(['env', 'defaults', 'permissions', 'concurrency', 'outputs'], unread('the settings of a job')),
  'timeout-minutes': unread('the time limit of a job'),
  'continue-on-error': unread('that a job may fail'),
};

export const GITHUB_ACTIONS_FIELDS = {
  'a workflow': WORKFLOW_FIELDS,
  'a job': JOB_FIELDS,
} as const satisfies Record<string, SourceFields>;
