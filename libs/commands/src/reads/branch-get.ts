/** branch:get: a page of a branch, by its public token or by its root's id. Rules: PUB3, PUB4, GEN7, EVT3. */
import { defineRead } from '../define-command.ts';

export const branchGet = defineRead({ event: 'branch:get' });
