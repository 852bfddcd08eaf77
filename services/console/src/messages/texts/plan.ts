// The texts of the plan, in the language of the page.
import { translated } from '../../language.ts';
import { planTexts as english } from '../en/plan.ts';

export const planTexts = translated('plan', english);
