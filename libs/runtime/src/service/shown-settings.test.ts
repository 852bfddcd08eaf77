import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineConfig } from './config.ts';
import { natsSettings, neo4jSettings, redisSettings, signingSecrets, watchSettings } from './settings.ts';
import { shownSettings } from './shown-settings.ts';

const SECRET = 'a-planted-secret';

const definition = defineConfig({
  PORT: { schema: z.coerce.number().int(), default: 8080, description: '' },
  SECURE: { schema: z.stringbool(), default: true, description: '' },
  MODE: { schema: z.enum(['single', 'cluster']).optional(), description: '' },
  NAME: { schema: z.string(), default: 'gateway', description: '' },
  HOSTS: { schema: z.string().transform((text) => text.split(',')), description: '' },
  LENGTH: { schema: z.string().transform((text) => `${text.length}`), description: '' },
});

function shown(environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(shownSettings(definition, environment).map(({ name, value }) => [name, value]));
}

test('[ADMIN4] only numbers, booleans and words of a fixed list are shown', () => {
  const given = { PORT: '9000', SECURE: 'false', MODE: 'cluster', NAME: SECRET, HOSTS: SECRET, LENGTH: SECRET };
  expect(shown(given)).toEqual({
    PORT: '9000',
    SECURE: 'false',
    MODE: 'cluster',
    NAME: '(set)',
    HOSTS: '(set)',
    LENGTH: '(set)',
  });
  expect(shown({ NAME: '' })).toEqual({
    PORT: '(default)',
    SECURE: '(default)',
    MODE: '(unset)',
    NAME: '(default)',
    HOSTS: '(unset)',
    LENGTH: '(unset)',
  });
});

test('[ADMIN4] an invalid value is not shown', () => {
  expect(shown({ PORT: SECRET, MODE: SECRET })).toMatchObject({ PORT: '(set)', MODE: '(set)' });
});

test('[ADMIN4] a secret in any shared setting is not shown', () => {
  const shared = {
    ...watchSettings,
    ...neo4jSettings,
    ...natsSettings,
    ...redisSettings('Redis.'),
    SECRET: { schema: signingSecrets, description: '' },
  };
  const environment = Object.fromEntries(Object.keys(shared).map((name) => [name, `https://u:${SECRET}@x.example/`]));
  const settings = shownSettings(shared, environment);
  expect(settings.map(({ name }) => name)).toEqual(Object.keys(shared));
  expect(JSON.stringify(settings)).not.toContain(SECRET);
});
