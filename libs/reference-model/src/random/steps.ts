// Random commands of several users, drawn so that most have an effect. A step is only a kind and
// some numbers. Its command is derived from the model's state when the step runs, so the other
// steps remain valid when the shrinker removes one.

import { isSystem } from '@taskgraph/wire/actor';
import fc from 'fast-check';
import { OPERATION_EVENTS } from '../run.ts';
import type { ModelState, ModelUser } from '../state.ts';
import { ADVERSARIAL } from './adversarial-steps.ts';
import { composed } from './batches.ts';
import { CLAIM_COMBINATIONS, CLAIMS } from './claims.ts';
import { INTERMEDIATE, intermediateStep } from './intermediate-values.ts';
import { requestOf } from './requests.ts';
import type { DrawContext, DrawnCommand, DrawnStep, Step } from './step.ts';
import { SYSTEMS } from './system.ts';

/** The frequency of each kind of step. A missing operation has the lowest frequency. */
const WEIGHTS: Readonly<Record<string, number>> = {
  'node:add': 9,
  'node:update': 5,
  'node:status': 8,
  'node:trash': 6,
  'node:restore': 6,
  'node:delete': 2,
  'link:add': 14,
  'link:update': 4,
  'link:swap': 5,
  'link:trash': 5,
  'link:restore': 4,
  'link:delete': 1,
  'node:access': 12,
  'node:access:update': 4,
  'node:access:delete': 3,
  'node:showing': 2,
  'node:publish': 2,
  'node:publish:update': 1,
  'node:unpublish': 1,
  'batch:undo': 8,
  'batch:redo': 5,
  wait: 3,
  ...ADVERSARIAL,
  ...SYSTEMS,
};
const others = OPERATION_EVENTS.filter((event) => !Object.hasOwn(WEIGHTS, event));
const kinds = [...Object.entries(WEIGHTS), ...others.map((event) => [event, 1] as const)];

/**
 * Combinations of steps that often conflict. They share their numbers, so that they meet on the
 * same entities.
 */
const COMBINATIONS: readonly (readonly string[])[] = [
  ['node:trash', 'link:add', 'node:restore'],
  ['link:add', 'link:swap', 'batch:undo', 'batch:redo'],
  ['batch:undo', 'batch:undo', 'batch:redo', 'batch:redo'],
  ['node:access', 'link:add', 'node:access:delete'],
  ['link:trash', 'node:trash', 'link:restore', 'node:restore'],
  ['node:access', 'wait', 'node:update', 'batch:undo'],
  ['node:trash', 'node:trash', 'node:restore', 'node:restore'],
  ['node:publish', 'node:trash', 'node:restore', 'node:unpublish', 'batch:undo'],
  ['node:status', 'link:add', 'batch:undo', 'node:status', 'batch:redo'],
  ['node:trash', 'node:delete', 'batch:undo'],
  ['blocker', 'blocker', 'blocked'],
  ['blocker', 'link:trash', 'between'],
  ['copy', 'copy', 'uncopy', 'batch:undo'],
  ['detour', 'detour', 'node:restore'],
  ['node:access', 'wait', 'system:expire', 'batch:undo'],
  ['node:trash', 'system:purge', 'batch:undo'],
];

const number = fc.nat({ max: 9_999 });
const numbers = { a: number, b: number, c: number, flag: fc.boolean(), other: fc.boolean(), by: fc.nat({ max: 3 }) };

const single = fc.record<Step>({
  kind: fc.oneof(...kinds.map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind) }))),
  ...numbers,
});

const combined = fc
  .record({ kinds: fc.constantFrom(...COMBINATIONS), ...numbers })
  .map(({ kinds, ...rest }) => kinds.map((kind): Step => ({ kind, ...rest })));

/** A list of about this many steps. */
export function stepsOf(count: number): fc.Arbitrary<Step[]> {
  const draw = fc.oneof({ weight: 5, arbitrary: single.map((step) => [step]) }, { weight: 1, arbitrary: combined });
  return fc
    .array(draw, { minLength: count, maxLength: count, size: 'max' })
    .map((lists) => lists.flat().slice(0, count));
}

/**
 * Like `stepsOf`, but also with batches that set a value several times, changes that conflict with
 * such an intermediate value, and undos of both.
 */
export function intermediateStepsOf(count: number): fc.Arbitrary<Step[]> {
  const kinds = fc.constantFrom(
    [...INTERMEDIATE],
    [...INTERMEDIATE, 'batch:redo', 'back'],
    ['twice', 'hinder', 'hinder', 'back'],
  );
  const conflicting = fc
    .record({ kinds, each: fc.array(fc.record(numbers), { minLength: 5, maxLength: 5 }) })
    .map(({ kinds, each }) => kinds.map((kind, at) => ({ kind, ...(each[at] as Omit<Step, 'kind'>) })));
  const draw = fc.oneof({ weight: 2, arbitrary: single.map((step) => [step]) }, { weight: 1, arbitrary: conflicting });
  return fc
    .array(draw, { minLength: count, maxLength: count, size: 'max' })
    .map((lists) => lists.flat().slice(0, count));
}

/** Like `stepsOf`, but with claims, what ends them, and undos of both. */
export function claimStepsOf(count: number): fc.Arbitrary<Step[]> {
  const claim = fc.record<Step>({
    kind: fc.oneof(...Object.entries(CLAIMS).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind) }))),
    ...numbers,
  });
  const sequence = fc
    .record({ kinds: fc.constantFrom(...CLAIM_COMBINATIONS), ...numbers })
    .map(({ kinds, ...rest }) => kinds.map((kind): Step => ({ kind, ...rest })));
  const draw = fc.oneof(
    { weight: 3, arbitrary: single.map((step) => [step]) },
    { weight: 2, arbitrary: claim.map((step) => [step]) },
    { weight: 1, arbitrary: sequence },
  );
  return fc
    .array(draw, { minLength: count, maxLength: count, size: 'max' })
    .map((lists) => lists.flat().slice(0, count));
}

/** The replacement for a step that has no entity yet. */
function ifAny(step: Step, { state }: DrawContext): Step {
  const trashed = (list: readonly { readonly inTrash: boolean }[]) => list.some(({ inTrash }) => inTrash);
  const active = (list: readonly { readonly inTrash: boolean }[]) => list.some(({ inTrash }) => !inTrash);
  const { kind, c } = step;
  if (c % 20 === 0) return step;
  if (state.nodes.length < 8) return { ...step, kind: 'node:add' };
  if (['node:restore', 'node:delete'].includes(kind) && !trashed(state.nodes)) return { ...step, kind: 'node:trash' };
  if (['link:restore', 'link:delete'].includes(kind) && !trashed(state.links)) return { ...step, kind: 'link:add' };
  if (['link:update', 'link:swap', 'link:trash'].includes(kind) && !active(state.links))
    return { ...step, kind: 'link:add' };
  if (/^node:(access:|showing)/.test(kind) && state.grants.length < 4) return { ...step, kind: 'node:access' };
  const isPublic = state.nodes.some(({ publicToken }) => publicToken !== null);
  if (/^node:(publish:|unpublish)/.test(kind) && !isPublic) return { ...step, kind: 'node:publish' };
  return step;
}

/** Turns a step into a command. */
export function draw(given: Step, drawing: DrawContext): DrawnStep {
  const step = ifAny(given, drawing);
  if (step.kind === 'wait') return { kind: 'wait', ms: [40, 1_000, 3_600_000][step.a % 3] as number };
  if (INTERMEDIATE.some((kind) => kind === step.kind)) {
    return intermediateStep(step, drawing) ?? draw({ ...step, kind: 'node:add' }, drawing);
  }
  if (step.kind === 'again' && drawing.keyed.length > 0) return drawAgain(step, drawing);
  const [event, payload, suited] = requestOf(step, drawing);
  const actor = suited ?? (drawing.users[step.by] as ModelUser);
  // Jobs send neither keys nor versions.
  if (isSystem(actor)) return { kind: 'command', actor, event, payload, key: null };
  const key = step.c % 23 === 0 ? `key-${step.a % 5}` : null;
  const command = { kind: 'command', actor, event, payload: guarded(step, event, payload, drawing), key } as const;
  if (!drawing.composites || step.c % 3 !== 0 || /^(batch|node:claim)/.test(event)) return command;
  const more = (later: Step, state: ModelState) => {
    const [also, fields] = requestOf(ifAny(later, { ...drawing, state }), { ...drawing, state });
    return { event: also, payload: guarded(later, also, fields, { ...drawing, state }) };
  };
  return composed(command, step, drawing, more);
}

/** The same command again, or another one with its key. */
function drawAgain({ a, flag, other }: Step, { keyed, serial }: DrawContext): DrawnStep {
  const earlier = keyed[a % keyed.length] as DrawnCommand;
  if (flag || other) return earlier;
  return { ...earlier, event: 'node:add', payload: { title: `title-${serial}` } };
}

/** Sometimes a command has a version, usually the current one (GEN10). */
function guarded(
  { c, other }: Step,
  event: string,
  payload: Record<string, unknown>,
  { state }: DrawContext,
): Record<string, unknown> {
  if (
    c % 11 !== 0 ||
    event === 'node:add' ||
    event === 'link:add' ||
    event === 'node:claim' ||
    event.startsWith('batch:') ||
    event === 'node:showing'
  ) {
    return payload;
  }
  const { id, email } = payload;
  const entity = event.startsWith('node:access')
    ? state.grants.find((grant) => grant.nodeId === id && grant.email === email)
    : [...state.nodes, ...state.links].find((one) => one.id === id);
  return { ...payload, version: (entity?.version ?? 1) + (other ? 0 : 1) };
}
