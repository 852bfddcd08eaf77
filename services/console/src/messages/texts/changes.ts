// The texts of the history, in the language of the page.
import { translated } from '../../language.ts';
import { changes as english } from '../en/changes.ts';

export const changes = translated('changes', english);
