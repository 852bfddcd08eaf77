// The numbers that clients see, written out: no other test would notice a changed code.
import { expect, test } from 'vitest';
import { Level, LinkType, Op, Status } from './codes.ts';

test.each([
  ['NODE_ADD', 0],
  ['NODE_UPDATE', 1],
  ['NODE_STATUS', 2],
  ['NODE_TRASH', 3],
  ['NODE_RESTORE', 4],
  ['NODE_DELETE', 5],
  ['NODE_PUBLISH', 6],
  ['LINK_ADD', 10],
  ['LINK_UPDATE', 11],
  ['LINK_TRASH', 12],
  ['LINK_RESTORE', 13],
  ['LINK_DELETE', 14],
  ['LINK_SWAP', 15],
  ['GRANT_UPSERT', 20],
  ['GRANT_UPDATE', 21],
  ['GRANT_DELETE', 22],
])('[HIS1] the operation %s has the code %i', (name, code) => {
  expect(Object.entries(Op).filter(([, value]) => value === code)).toEqual([[name, code]]);
});

test('[HIS1] there are no other operations', () => {
  expect(Object.keys(Op)).toHaveLength(16);
});

test('[WIRE4] a status is 0 Available, 1 InProgress, 2 Blocked or 3 Completed', () => {
  expect(Status).toEqual({ AVAILABLE: 0, IN_PROGRESS: 1, BLOCKED: 2, COMPLETED: 3 });
});

test('[WIRE4] a level is 0 owner, 1 admin, 2 editor or 3 viewer', () => {
  expect(Level).toEqual({ OWNER: 0, ADMIN: 1, EDITOR: 2, VIEWER: 3 });
});

test('[WIRE4] a link is 0 primary or 1 secondary', () => {
  expect(LinkType).toEqual({ PRIMARY: 0, SECONDARY: 1 });
});
