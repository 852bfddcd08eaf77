// The texts of the trash, in the language of the page.
import { translated } from '../../language.ts';
import { trash as english } from '../en/trash.ts';

export const trash = translated('trash', english);
