// The texts of the palette and of the list of keys, in the language of the page.
import { translated } from '../../language.ts';
import { paletteTexts as english } from '../en/palette.ts';

export const paletteTexts = translated('palette', english);
