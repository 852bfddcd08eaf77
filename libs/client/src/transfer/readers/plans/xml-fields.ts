// Reports the attributes and children of XML elements that a reader does not read. Rule: IO9.
import { reportFields, type SourceFields } from '../../fields/source-field.ts';
import type { LossReport } from '../../graph/loss-report.ts';
import { fieldsOf, type XmlElement } from '../../text/xml-tree.ts';

interface ElementReport {
  readonly fields: SourceFields;
  readonly place: string;
  readonly losses: LossReport;
  /** Children that the reader reports itself. */
  readonly without?: readonly string[];
  /** The term before the name of an undeclared field. */
  readonly word?: string;
}

/** Reports an element, and whatever is inside of children that are read as texts. */
export function reportElement(
  element: XmlElement,
  { fields, place, losses, without = [], word = 'the field' }: ElementReport,
): void {
  reportFields(fieldsOf(element, without), fields, place, losses, word);
  for (const child of element.children) {
    const field = Object.hasOwn(fields, child.name) ? fields[child.name] : undefined;
    if (field?.isRead !== true || field.within !== undefined || without.includes(child.name)) continue;
    const isText = child.children.length === 0 && Object.keys(child.attributes).length === 0;
    if (!isText) reportFields({ ...fieldsOf(child), '#text': '' }, {}, place, losses, `in <${child.name}>, the field`);
  }
}
