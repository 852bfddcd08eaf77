// The texts of a published page, in the language of the page.
import { translated } from '../../language.ts';
import { published as english } from '../en/published.ts';

export const published = translated('published', english);
