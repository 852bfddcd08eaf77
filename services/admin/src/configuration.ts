// The settings of the administration commands, from their environment.
import { defineConfig } from '@taskgraph/runtime/service/config';
import { neo4jSettings, optionalNatsSettings } from '@taskgraph/runtime/service/settings';
import { z } from 'zod';

export const configuration = defineConfig({
  ...neo4jSettings,
  ...optionalNatsSettings,
  TASKGRAPH_ADMIN_EMAIL: {
    schema: z.string().optional(),
    description: 'E-mail of the administrator that the migration creates if there is none.',
  },
  TASKGRAPH_ADMIN_PASSWORD: {
    schema: z.string().optional(),
    description: 'Password of that administrator, 10 to 1,000 characters.',
  },
});
