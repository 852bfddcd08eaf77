// The texts of the link editor, in the language of the page.
import { translated } from '../../language.ts';
import { linkTexts as english } from '../en/link-editor.ts';

export const linkTexts = translated('link-editor', english);
