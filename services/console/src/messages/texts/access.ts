// The texts about access, in the language of the page.
import { translated } from '../../language.ts';
import { access as english } from '../en/access.ts';

export const access = translated('access', english);
