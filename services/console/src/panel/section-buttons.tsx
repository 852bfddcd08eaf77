// A way to each section of the panel, which may be many stops of the Tab key away.
import { messages } from '../messages/messages.ts';
import { edit } from '../messages/texts/edit.ts';
import { SECTIONS, type SectionName, showSection } from './sections.ts';

const NAMES: Readonly<Record<SectionName, string>> = {
  links: edit.links,
  fields: messages.panel.fields,
  access: messages.panel.access,
};

export function SectionButtons() {
  return (
    <nav className="section-buttons" aria-label={edit.sections}>
      {SECTIONS.map((name) => (
        <button
          key={name}
          type="button"
          className="plain"
          aria-keyshortcuts={name === 'access' ? 'Shift+A' : undefined}
          onClick={() => showSection(name)}
        >
          {NAMES[name]}
        </button>
      ))}
    </nav>
  );
}
