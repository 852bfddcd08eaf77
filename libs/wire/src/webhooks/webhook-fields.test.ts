import { expect, test } from 'vitest';
import { acceptsEvent, CHANGE_EVENTS, WEBHOOK_EVENTS } from './webhook-fields.ts';

const accepted = (...filters: string[]) => WEBHOOK_EVENTS.filter((type) => acceptsEvent(filters, type));

test('[HOOK5] a filter names types, or all of a kind; without one, all changes are accepted, and no due dates', () => {
  expect(accepted()).toEqual(CHANGE_EVENTS);
  expect(accepted('node.due')).toEqual(['node.due']);
  expect(accepted('node.completed', 'link.*')).not.toContain('node.due');
  expect(accepted('node.completed', 'access.lost')).toEqual(['node.completed', 'access.lost']);
  expect(accepted('link.*')).toEqual(WEBHOOK_EVENTS.filter((type) => type.startsWith('link.')));
  expect(accepted('node.*', 'link.*', 'access.*')).toEqual(WEBHOOK_EVENTS);
});
