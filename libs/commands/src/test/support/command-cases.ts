// The cases of each command that a composite may contain. Tests of levels, version guards, states
// and work use them.
import { Level, Status } from '@taskgraph/wire/codes';
import { expect } from 'vitest';
import { bob, cy, type Scenario } from './scenario.ts';

/** The command's further fields, and the state of its entity. */
interface Setting {
  readonly fields?: object;
  readonly inTrash?: boolean;
  readonly isPublic?: true;
  /** The grant in the fields exists. */
  readonly withGrant?: true;
}

export interface LevelCase extends Setting {
  /** The minimum level on the node, or on both ends of the link. */
  readonly needed: Level;
}

/** A code, and a function that builds a state with this refusal and returns the payload. */
type StateCase = readonly [code: string, set: (scene: Scenario) => object];

/** The entities that toggles name. */
export interface Spot {
  readonly hot: string;
  readonly link: string;
  readonly other: string;
}

export type Operation = readonly [event: string, payload: object, as?: string];

export interface CommandCases {
  /** Null if the level depends on more than the node or link. */
  readonly level: LevelCase | null;
  /** Null if the command has no version guard. */
  readonly guard: Setting | null;
  /** The states that refuse the command before a stale version does. */
  readonly states: readonly StateCase[];
  /** Repeatable operations on a node; `$n` becomes a new name each time. */
  readonly toggle: (spot: Spot) => readonly Operation[];
}

const email = bob.email;

export const blocked = (scene: Scenario, fields = {}) => {
  const [source, id] = [scene.node(), scene.node()];
  scene.link(source, id);
  expect(scene.nodes.get(id)?.status).toBe(Status.BLOCKED);
  return { id, ...fields };
};
const trashed = (scene: Scenario, fields = {}) => ({ id: scene.node({ inTrash: true }), ...fields });
const active = (scene: Scenario, fields = {}) => ({ id: scene.node(), ...fields });
const published = (scene: Scenario, fields = {}) => {
  const id = scene.node();
  expect(scene.run('node:publish', { id }).error).toBeNull();
  return { id, ...fields };
};
const granted = (scene: Scenario, fields: object) => {
  const id = scene.node({ inTrash: true });
  scene.grant(id, bob, Level.VIEWER);
  return { id, email, ...fields };
};
export const linked = (scene: Scenario, inTrash: boolean, end: 'source' | 'target' | null = null) => {
  const [source, target] = [scene.node({ inTrash: end === 'source' }), scene.node({ inTrash: end === 'target' })];
  return { id: scene.link(source, target, { inTrash }) };
};

/** By event. */
export const COMMAND_CASES: Readonly<Record<string, CommandCases>> = {
  'node:add': {
    level: { needed: Level.EDITOR },
    guard: null,
    states: [],
    toggle: ({ hot }) => [['node:add', { target: hot }]],
  },
  'node:update': {
    level: { needed: Level.EDITOR, fields: { title: 'new' } },
    guard: { fields: { title: 'x' } },
    states: [
      ['conflict.in_trash', (scene) => trashed(scene, { title: 'a' })],
      ['conflict.node_blocked', (scene) => blocked(scene, { status: Status.COMPLETED })],
      ['conflict.node_blocked', (scene) => blocked(scene, { status: Status.AVAILABLE, title: 'a' })],
    ],
    toggle: ({ hot: id }) => [
      ['node:update', { id, independent: true }],
      ['node:update', { id, status: 3 }],
      ['node:update', { id, status: 0, independent: false }],
    ],
  },
  'node:trash': {
    level: { needed: Level.EDITOR },
    guard: {},
    states: [['conflict.already_trashed', trashed]],
    toggle: ({ hot: id }) => [
      ['node:trash', { id }],
      ['node:restore', { id }],
    ],
  },
  'node:restore': {
    level: { needed: Level.EDITOR, inTrash: true },
    guard: { inTrash: true },
    states: [['not_trashed_node', active]],
    toggle: ({ other: id }) => [
      ['node:trash', { id }],
      ['node:restore', { id }],
    ],
  },
  'node:delete': {
    level: { needed: Level.OWNER, inTrash: true },
    guard: { inTrash: true },
    states: [['not_trashed_node', active]],
    toggle: ({ hot }) => [
      ['node:add', { target: hot }, 'n'],
      ['node:trash', { id: '$n' }],
      ['node:delete', { id: '$n' }],
    ],
  },
  'node:access': {
    level: { needed: Level.ADMIN, fields: { email: cy.email, branch: false } },
    guard: { fields: { email: bob.email, level: 2 }, withGrant: true },
    states: [['conflict.in_trash', (scene) => granted(scene, { level: Level.EDITOR })]],
    toggle: ({ hot: id }) => [
      ['node:access', { id, email: 'dee@example.com', level: Level.VIEWER, branch: true }],
      ['node:access:delete', { id, email: 'dee@example.com' }],
    ],
  },
  'node:access:update': {
    level: { needed: Level.ADMIN, fields: { email: cy.email, level: 2 }, withGrant: true },
    guard: { fields: { email: bob.email, level: 2 }, withGrant: true },
    states: [['conflict.in_trash', (scene) => granted(scene, { level: Level.EDITOR })]],
    toggle: ({ hot: id }) => [
      ['node:access', { id, email: bob.email, level: Level.VIEWER }],
      ['node:access:update', { id, email: bob.email, branch: true }],
      ['node:access:update', { id, email: bob.email, branch: false }],
    ],
  },
  'node:access:delete': {
    level: { needed: Level.ADMIN, fields: { email: cy.email }, withGrant: true },
    guard: { fields: { email: bob.email }, withGrant: true },
    states: [],
    toggle: ({ other: id }) => [
      ['node:access', { id, email: bob.email, level: Level.VIEWER, branch: true }],
      ['node:access:delete', { id, email: bob.email }],
    ],
  },
  'node:showing': {
    level: null,
    guard: null,
    states: [],
    toggle: ({ hot: id }) => [
      ['node:showing', { id, showing: false }],
      ['node:showing', { id, showing: true }],
    ],
  },
  'node:publish': {
    level: { needed: Level.ADMIN, fields: { branch: false } },
    guard: {},
    states: [
      ['conflict.in_trash', trashed],
      ['conflict.already_public', published],
    ],
    toggle: ({ hot: id }) => [
      ['node:publish', { id, branch: true }],
      ['node:unpublish', { id }],
    ],
  },
  'node:publish:update': {
    level: { needed: Level.ADMIN, fields: { due: null }, isPublic: true },
    guard: { fields: { branch: false }, isPublic: true },
    states: [
      ['conflict.in_trash', (scene) => trashed(scene, { branch: true })],
      ['conflict.not_public', (scene) => active(scene, { branch: true })],
    ],
    toggle: ({ hot: id }) => [
      ['node:publish', { id, branch: true }],
      ['node:publish:update', { id, branch: false }],
      ['node:unpublish', { id }],
    ],
  },
  'node:unpublish': {
    level: { needed: Level.ADMIN, isPublic: true },
    guard: { isPublic: true },
    states: [['conflict.not_public', active]],
    toggle: ({ other: id }) => [
      ['node:publish', { id, branch: true }],
      ['node:unpublish', { id }],
    ],
  },
  'link:add': {
    level: { needed: Level.VIEWER },
    guard: null,
    states: [],
    toggle: ({ hot }) => [
      ['node:add', {}, 'n'],
      ['link:add', { source: hot, target: '$n' }],
    ],
  },
  'link:update': {
    level: { needed: Level.EDITOR, fields: { type: 1 } },
    guard: { fields: { type: 1 } },
    states: [['conflict.in_trash', (scene) => ({ ...linked(scene, true), type: 1 })]],
    toggle: ({ link: id }) => [
      ['link:update', { id, type: 1, private: true }],
      ['link:update', { id, type: 0, private: false }],
    ],
  },
  'link:swap': {
    level: { needed: Level.EDITOR },
    guard: {},
    states: [['conflict.in_trash', (scene) => linked(scene, true)]],
    toggle: ({ link: id }) => [
      ['link:swap', { id }],
      ['link:swap', { id }],
    ],
  },
  'link:trash': {
    level: { needed: Level.EDITOR },
    guard: {},
    states: [['conflict.already_trashed', (scene) => linked(scene, true)]],
    toggle: ({ link: id }) => [
      ['link:trash', { id }],
      ['link:restore', { id }],
    ],
  },
  'link:restore': {
    level: { needed: Level.EDITOR, inTrash: true },
    guard: { inTrash: true },
    states: [
      ['not_trashed_link', (scene) => linked(scene, false)],
      ['conflict.in_trash', (scene) => linked(scene, true, 'source')],
      ['conflict.in_trash', (scene) => linked(scene, true, 'target')],
    ],
    toggle: ({ link: id }) => [
      ['link:trash', { id }],
      ['link:restore', { id }],
    ],
  },
  'link:delete': {
    level: { needed: Level.ADMIN, inTrash: true },
    guard: { inTrash: true },
    states: [['not_trashed_link', (scene) => linked(scene, false)]],
    toggle: ({ hot }) => [
      ['node:add', { target: hot }, 'n'],
      ['link:trash', { id: '$n.link' }],
      ['link:delete', { id: '$n.link' }],
    ],
  },
};
