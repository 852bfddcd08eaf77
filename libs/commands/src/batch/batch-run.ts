/** batch:run: several operations in one command, all or none, as one batch of history. Rules: BAT1 to BAT7. */
import { isVisible } from '@taskgraph/domain/state/change';
import { TooMuchWork } from '@taskgraph/domain/state/work';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { type DecisionContext, defineSteppedCommand, type Step } from '../define-command.ts';
import { mutationOf } from '../mutations.ts';
import { broughtBy } from '../pipeline/brought.ts';
import { atIndex, type Operation, operationsOf, readSetOfAll, withIds } from './operations.ts';

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
    const refusal = steps.takeEach(all, (operation, index) => {
      const payload = withIds(operation, made);
      if (payload === null) return 'later';
      const step = placed(index, () => steps.take((draft) => decide(operation, draft, payload, context)));
      if (isRefusal(step)) return atIndex(step, index);
      noteBrought(operation, step, made);
      skipped.push(...(step.decision?.skipped ?? []));
      return null;
    });
    return refusal ?? { skipped };
  },
});

/** Says at which operation the work became too much. */
function placed<T>(index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TooMuchWork) error.index = index;
    throw error;
  }
}

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
