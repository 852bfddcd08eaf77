/** history:page: the batches of a scope, newest first, with the operations that the caller may see. Rules: HIS1, HIS7, HIS8. */
import { defineRead } from '../define-command.ts';

export const historyPage = defineRead({ event: 'history:page' });
