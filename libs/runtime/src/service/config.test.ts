import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineConfig, readConfig } from './config.ts';

const definition = defineConfig({
  PORT: { schema: z.coerce.number().int().min(1).max(65_535), default: 3_000, description: 'The port to listen on.' },
  COLOURS: { schema: z.stringbool(), default: false, description: 'Whether to use colours.' },
  PROXY: { schema: z.string().optional(), description: 'The proxy, if any.' },
  PASSWORD: { schema: z.string().min(8), description: 'The password of the database.' },
});

describe('readConfig', () => {
  it('returns typed values, and defaults for unset or empty variables', () => {
    const config = readConfig(definition, { PORT: '', COLOURS: 'true', PASSWORD: 'long enough' });
    const port: number = config.PORT;
    expect(config).toEqual({ PORT: port, COLOURS: true, PROXY: undefined, PASSWORD: 'long enough' });
    expect(port).toBe(3_000);
  });

  it('lists every wrong variable at once, in sentences', () => {
    const read = () => readConfig(definition, { PORT: 'many' });
    expect(read).toThrow(/- PORT is not valid \(.+\)\. The port to listen on\./);
    expect(read).toThrow('- PASSWORD is not set, and has no default. The password of the database.');
  });

  it('never repeats a value', () => {
    const echo = defineConfig({
      KEY: { schema: z.string().refine(() => false, { error: ({ input }) => `bad: ${input}` }), description: 'A key.' },
    });
    expect(() => readConfig(echo, { KEY: 'hunter2' })).toThrow(/^(?!.*hunter2)/s);
  });
});
