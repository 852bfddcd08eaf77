/** node:why: what a node waits for, and in which ways it is seen. Rules: WHY1 to WHY3. */
import { defineRead } from '../define-command.ts';

export const nodeWhy = defineRead({ event: 'node:why' });
