/** batch:run: several operations in one command, all or none, as one batch of history. Rules: BAT1 to BAT7. */
import { isVisible } from '@taskgraph/domain/state/change';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { type DecisionContext, defineSteppedCommand, type Step } from '../define-command.ts';
import { mutationOf } from '../mutations.ts';
import { broughtBy } from '../pipeline/brought.ts';
import { atIndex, type Operation, operationsOf, readSetOfAll, withIds } from './operations.ts';

/**
 * Most changes that the operations come to together, with memberships. One by itself is bounded by what it loads; of several that each move a branch
 * the writes would fill the memory.
 */
const MAXIMUM_CHANGES = 200_000;

type Payload = Parameters<typeof operationsOf>[0];

export const batchRun = defineSteppedCommand({
  event: 'batch:run',
  check: ({ operations }) => {
    const taken = operationsOf(operations, mutationOf);
    return isRefusal(taken) ? taken : null;
  },
  // The first operation can name nothing that is not there yet.
  route: ({ operations }, actor) => {
    const [first] = takenApart(operations);
    return first === undefined ? slotOf(actor.id) : first.definition.route(first.payload, actor);
  },
  readSet: ({ operations }) => readSetOfAll(takenApart(operations)),
  decideInSteps(steps, { operations }, context) {
    const all = takenApart(operations);
    const made = new Map<string, string>();
    const skipped: string[] = [];
    let changes = 0;
    const refusal = steps.takeEach(all, (operation, index) => {
      const payload = withIds(operation, made);
      if (payload === null) return 'later';
      const step = steps.take((draft) => decide(operation, draft, payload, context));
      if (isRefusal(step)) return atIndex(step, index);
      changes += step.changes.length;
      if (changes > MAXIMUM_CHANGES) return atIndex(tooLarge, index);
      noteBrought(operation, step, made);
      skipped.push(...(step.decision?.skipped ?? []));
      return null;
    });
    return refusal ?? { skipped };
  },
});

const tooLarge = refuse('bad_request.too_large', `It would come to more than ${MAXIMUM_CHANGES} changes at once.`, {
  most: MAXIMUM_CHANGES,
});

/** Payloads come here checked. */
function takenApart(operations: Payload): Operation[] {
  const taken = operationsOf(operations, mutationOf);
  if (isRefusal(taken)) throw new Error(`a batch was let in whose shape is wrong: ${taken.code}`);
  return taken;
}

function decide({ definition }: Operation, draft: unknown, payload: object, context: DecisionContext) {
  if (definition.decide === undefined) throw new Error(`${definition.event} is no operation of a batch`);
  return definition.decide(draft, payload, context);
}

function noteBrought({ definition, standIns }: Operation, { changes }: Step, made: Map<string, string>): void {
  const [brought] = broughtBy([definition.event], changes.filter(isVisible));
  if (brought?.id !== undefined) made.set(standIns.id, brought.id);
  if (brought?.link !== undefined) made.set(standIns.link, brought.link);
}
