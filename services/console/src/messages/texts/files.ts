// The texts of importing, exporting and the first steps, in the language of the page.
import { translated } from '../../language.ts';
import { files as english } from '../en/files.ts';

export const files = translated('files', english);
