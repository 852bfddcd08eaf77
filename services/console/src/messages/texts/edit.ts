// The texts of the editable panel of a task, in the language of the page.
import { translated } from '../../language.ts';
import { edit as english } from '../en/edit.ts';

export const edit = translated('edit', english);
