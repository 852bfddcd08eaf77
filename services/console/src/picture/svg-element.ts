// The picture of an export as elements of the page, without a text that would become code.
import { NAMESPACE, type SvgNode } from './export-svg.ts';

export function svgElement(root: SvgNode): SVGElement {
  const made = document.createElementNS(NAMESPACE, root.name);
  for (const [name, value] of Object.entries(root.attributes)) {
    if (name !== 'xmlns') made.setAttribute(name, String(value));
  }
  made.append(...root.children.map((child) => (typeof child === 'string' ? child : svgElement(child))));
  return made;
}
