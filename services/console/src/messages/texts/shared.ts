// The texts of the view of shared tasks, in the language of the page.
import { translated } from '../../language.ts';
import { shared as english } from '../en/shared.ts';

export const shared = translated('shared', english);
