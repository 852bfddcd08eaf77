// The texts of the board, in the language of the page.
import { translated } from '../../language.ts';
import { boardTexts as english } from '../en/board.ts';

export const boardTexts = translated('board', english);
