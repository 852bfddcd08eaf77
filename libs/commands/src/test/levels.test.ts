import { Level } from '@taskgraph/wire/codes';
import { describe, expect, test } from 'vitest';
import { COMMAND_CASES, type LevelCase } from './support/command-cases.ts';
import { bob, createScenario, cy } from './support/scenario.ts';

const casesOf = (subject: string): Record<string, LevelCase> =>
  Object.fromEntries(
    Object.entries(COMMAND_CASES).flatMap(([event, { level }]) =>
      event.startsWith(subject) && level !== null ? [[event, level]] : [],
    ),
  );
const onNodes = casesOf('node:');
const onLinks = casesOf('link:');

const LEVELS = [Level.OWNER, Level.ADMIN, Level.EDITOR, Level.VIEWER, null];
const table = (asked: Record<string, LevelCase>) =>
  Object.entries(asked).map(([event, how]) => [event, how.needed, how] as const);

/** The answer to Bob with this level on all nodes of the case. */
function outcome(event: string, { fields = {}, inTrash = false, isPublic, withGrant }: LevelCase, level: Level | null) {
  const scene = createScenario();
  const node = (state: object = {}) => {
    const id = scene.node({ ...state, ...(level === Level.OWNER ? { ownerId: bob.id } : {}) });
    if (level !== null && level !== Level.OWNER) scene.grant(id, bob, level);
    return id;
  };
  if (event === 'link:add') return scene.run(event, { source: node(), target: node() }, bob).error;
  if (event.startsWith('link:')) {
    const id = scene.link(node(), node(), { inTrash });
    return scene.run(event, { id, ...fields }, bob).error;
  }
  const id = node({ inTrash, ...(isPublic ? { publicToken: 'a token', publicBranch: false } : {}) });
  if (withGrant) scene.grant(id, cy, Level.VIEWER);
  return scene.run(event, event === 'node:add' ? { target: id } : { id, ...fields }, bob).error;
}

describe('[ACL1 GEN7] the minimum level', () => {
  test.each(table(onNodes))('on a node for %s is %i', (event, needed, asked) => {
    for (const level of LEVELS) {
      const allowed = level !== null && level <= needed;
      expect([level, outcome(event, asked, level)]).toEqual([level, allowed ? null : 'forbidden']);
    }
  });

  test.each(table(onLinks))("on both ends of another user's link for %s is %i", (event, needed, asked) => {
    for (const level of LEVELS) {
      const allowed = level !== null && level <= needed;
      expect([level, outcome(event, asked, level)]).toEqual([level, allowed ? null : 'forbidden']);
    }
  });
});
