/**
 * batch:run: run several operations as one command and one batch of history, all or none. Rules:
 * BAT1 to BAT7.
 */
import { isVisible } from '@taskgraph/domain/state/change';
import { TooMuchWork } from '@taskgraph/domain/state/work';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { atIndex, parseOperations } from '@taskgraph/wire/operations/batch-parser';
import { type DecisionContext, defineSteppedCommand, type Step } from '../define-command.ts';
import type { AnyDefinition } from '../pipeline/command.ts';
import { operationResults } from '../pipeline/operation-results.ts';
import { type CompositeOperation, readSetOfAll, withIds } from './composite.ts';

type Payload = Parameters<typeof parseOperations>[0];
/** The command of an operation, by its event. */
type DefinitionOf = (event: string) => AnyDefinition | undefined;

export const batchRun = (definitionOf: DefinitionOf) =>
  defineSteppedCommand({
    name: 'batch:run',
    // The first operation cannot name an entity that does not exist yet.
    route: ({ operations }, actor) => {
      const [first] = operationsOf(operations, definitionOf);
      return first === undefined ? slotOf(actor.id) : first.definition.route(first.payload, actor);
    },
    readSet: ({ operations }) => readSetOfAll(operationsOf(operations, definitionOf)),
    decideInSteps(steps, { operations }, context) {
      const createdIds = new Map<string, string>();
      const skipped: string[] = [];
      const refusal = steps.takeEach(operationsOf(operations, definitionOf), (operation, index) => {
        const payload = withIds(operation, createdIds);
        if (payload === null) return 'later';
        const step = withIndex(index, () => steps.take((draft) => decide(operation, draft, payload, context)));
        if (isRefusal(step)) return atIndex(step, index);
        recordResult(operation, step, createdIds);
        skipped.push(...(step.decision?.skipped ?? []));
        return null;
      });
      return refusal ?? { skipped };
    },
  });

/** Adds the operation's index to the error of too much work. */
function withIndex<T>(index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TooMuchWork) error.index = index;
    throw error;
  }
}

/** The operations of a payload that was checked on arrival. */
function operationsOf(sent: Payload, definitionOf: DefinitionOf): CompositeOperation[] {
  const operations = parseOperations(sent);
  if (isRefusal(operations)) throw new Error(`a batch was accepted that does not parse: ${operations.code}`);
  return operations.map((operation) => {
    const definition = definitionOf(operation.event);
    if (definition === undefined) throw new Error(`no command does ${operation.event}`);
    return { ...operation, definition };
  });
}

function decide({ definition }: CompositeOperation, draft: unknown, payload: object, context: DecisionContext) {
  if (definition.decide === undefined) throw new Error(`${definition.name} is not an operation of a batch`);
  return definition.decide(draft, payload, context);
}

function recordResult(
  { event, standIns }: CompositeOperation,
  { changes }: Step,
  createdIds: Map<string, string>,
): void {
  const [result] = operationResults([event], changes.filter(isVisible));
  if (result?.id !== undefined) createdIds.set(standIns.id, result.id);
  if (result?.link !== undefined) createdIds.set(standIns.link, result.link);
}
