/** changes:get: the present state of all that changed for the caller since a position. Rules: EVT2. */
import { defineRead } from '../define-command.ts';

export const changesGet = defineRead({ event: 'changes:get' });
