// The texts of the graph, in the language of the page.
import { translated } from '../../language.ts';
import { graphTexts as english } from '../en/graph.ts';

export const graphTexts = translated('graph', english);
