import { Level } from '@taskgraph/wire/codes';
import { describe, expect, test } from 'vitest';
import { bob, createScenario, cy } from './support/scenario.ts';

interface Asked {
  /** The least level on the node, or on both ends of the link. */
  readonly needed: Level;
  readonly fields?: object;
  readonly inTrash?: boolean;
  readonly isPublic?: true;
  /** Somebody else's grant is there already. */
  readonly withGrant?: true;
}

const onNodes: Record<string, Asked> = {
  'node:add': { needed: Level.EDITOR },
  'node:update': { needed: Level.EDITOR, fields: { title: 'new' } },
  'node:trash': { needed: Level.EDITOR },
  'node:restore': { needed: Level.EDITOR, inTrash: true },
  'node:delete': { needed: Level.OWNER, inTrash: true },
  'node:publish': { needed: Level.ADMIN, fields: { branch: false } },
  'node:publish:update': { needed: Level.ADMIN, fields: { due: null }, isPublic: true },
  'node:unpublish': { needed: Level.ADMIN, isPublic: true },
  'node:access': { needed: Level.ADMIN, fields: { email: cy.email, branch: false } },
  'node:access:update': { needed: Level.ADMIN, fields: { email: cy.email, level: 2 }, withGrant: true },
  'node:access:delete': { needed: Level.ADMIN, fields: { email: cy.email }, withGrant: true },
};
const onLinks: Record<string, Asked> = {
  'link:add': { needed: Level.VIEWER },
  'link:trash': { needed: Level.EDITOR },
  'link:restore': { needed: Level.EDITOR, inTrash: true },
  'link:swap': { needed: Level.EDITOR },
  'link:update': { needed: Level.EDITOR, fields: { type: 1 } },
  'link:delete': { needed: Level.ADMIN, inTrash: true },
};

const LEVELS = [Level.OWNER, Level.ADMIN, Level.EDITOR, Level.VIEWER, null];
const table = (asked: Record<string, Asked>) =>
  Object.entries(asked).map(([event, how]) => [event, how.needed, how] as const);

/** The answer to bob, with this level on all nodes concerned. */
function outcome(event: string, { fields = {}, inTrash = false, isPublic, withGrant }: Asked, level: Level | null) {
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

describe('[ACL1 GEN7] the least level', () => {
  test.each(table(onNodes))('on a node for %s is %i', (event, needed, asked) => {
    for (const level of LEVELS) {
      const allowed = level !== null && level <= needed;
      expect([level, outcome(event, asked, level)]).toEqual([level, allowed ? null : 'forbidden']);
    }
  });

  test.each(table(onLinks))('on both ends of the link of another for %s is %i', (event, needed, asked) => {
    for (const level of LEVELS) {
      const allowed = level !== null && level <= needed;
      expect([level, outcome(event, asked, level)]).toEqual([level, allowed ? null : 'forbidden']);
    }
  });
});
