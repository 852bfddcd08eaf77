/** node:access:list: the grants on a node, all of them to its admins, to others their own alone. Rules: ACL9, GEN7, GEN11. */
import { defineRead } from '../define-command.ts';

export const nodeAccessList = defineRead({ event: 'node:access:list' });
