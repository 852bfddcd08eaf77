import { expect, test } from 'vitest';
import { catalog, definitionOf } from './catalog.ts';
import { systemCatalog, systemDefinitionOf } from './system-catalog.ts';

test('[HIS1] what the system sends is in no list that routes and socket events are made from', () => {
  const open = new Set(catalog.map(({ event }) => event));
  for (const definition of systemCatalog) {
    expect(open.has(definition.event)).toBe(false);
    expect(definitionOf(definition.event)).toBeUndefined();
    expect(definition).not.toHaveProperty('rest');
    expect(systemDefinitionOf(definition.event)).toBe(definition);
  }
  expect(catalog.map(({ event }) => systemDefinitionOf(event)).filter((found) => found !== undefined)).toEqual([]);
});
