/** trash:page: what the caller may restore, nodes and links mixed, newest first. Rules: TRS2, EVT3. */
import { defineRead } from '../define-command.ts';

export const trashPage = defineRead({ event: 'trash:page' });
