// The texts of undo and redo, in the language of the page.
import { translated } from '../../language.ts';
import { undo as english } from '../en/undo.ts';

export const undo = translated('undo', english);
