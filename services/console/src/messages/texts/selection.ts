// The texts of the changes of several tasks, in the language of the page.
import { translated } from '../../language.ts';
import { selection as english } from '../en/selection.ts';

export const selection = translated('selection', english);
