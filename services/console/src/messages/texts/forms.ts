// The texts of the forms without an account, in the language of the page.
import { translated } from '../../language.ts';
import { forms as english } from '../en/forms.ts';

export const forms = translated('forms', english);
