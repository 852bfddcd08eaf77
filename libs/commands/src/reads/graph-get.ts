/** graph:get: a page of the active graph that the caller sees, all nodes before all links, each by id. Rules: EVT3. */
import { defineRead } from '../define-command.ts';

export const graphGet = defineRead({ event: 'graph:get' });
