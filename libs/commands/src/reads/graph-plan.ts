/** graph:plan: when what is to be done can begin, and what comes first. Rules: PLAN1 to PLAN6. */
import { refuseField } from '@taskgraph/wire/errors';
import { defineRead } from '../define-command.ts';

export const graphPlan = defineRead({
  event: 'graph:plan',
  /** PLAN4: either of the two means nothing alone. */
  check({ start, unit }) {
    if (start !== undefined && unit === undefined) return refuseField('missing', 'unit', 'The field unit is missing.');
    if (unit !== undefined && start === undefined)
      return refuseField('missing', 'start', 'The field start is missing.');
    return null;
  },
});
