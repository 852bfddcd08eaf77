// The texts of the settings, in the language of the page.
import { translated } from '../../language.ts';
import { settings as english } from '../en/settings.ts';

export const settings = translated('settings', english);
