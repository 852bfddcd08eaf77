// The fields of Turborepo's configurations, releases 1 (`pipeline`) and 2 (`tasks`). Rule: IO9.
import { all, IMPLIED, READ, type SourceFields, unread } from '../source-field.ts';

export const CONFIGURATION_FIELDS: SourceFields = {
  ...all(['tasks', 'pipeline'], READ),
  $schema: IMPLIED,
  extends: unread('the configurations that a configuration extends'),
  ...all(
    ['globalDependencies', 'globalEnv', 'globalPassThroughEnv', 'globalDotEnv'],
    unread('the inputs of all tasks'),
  ),
  ...all(
    ['cacheDir', 'cacheMaxAge', 'cacheMaxSize', 'remoteCache', 'concurrency', 'daemon', 'envMode', 'ui'],
    unread('a setting of the program'),
  ),
  ...all(
    ['noUpdateNotifier', 'dangerouslyDisablePackageManagerCheck', 'futureFlags', 'global'],
    unread('a setting of the program'),
  ),
  ...all(['tags', 'boundaries'], unread('the tags and boundaries of packages')),
};
export const TASK_FIELDS: SourceFields = {
  ...all(['description', 'dependsOn'], READ),
  ...all(['inputs', 'env', 'passThroughEnv', 'dotEnv'], unread('the inputs of a task')),
  outputs: unread('the outputs of a task'),
  cache: unread('that a task is not cached', (value) => value === false),
  ...all(['outputLogs', 'outputMode'], unread('the output mode of a task')),
  ...all(['persistent', 'interactive', 'interruptible'], unread('the run mode of a task')),
  with: unread('the tasks that run beside a task'),
  extends: unread('the configurations that a task extends'),
};

export const TURBO_FIELDS = {
  'the configuration': CONFIGURATION_FIELDS,
  'a task': TASK_FIELDS,
} as const satisfies Record<string, SourceFields>;
