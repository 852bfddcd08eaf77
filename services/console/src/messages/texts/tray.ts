// The texts of the tray, in the language of the page.
import { translated } from '../../language.ts';
import { tray as english } from '../en/tray.ts';

export const tray = translated('tray', english);
