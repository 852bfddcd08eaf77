// Theme, motion and language. Texts are loaded with the page, so another language needs a reload, which
// the reader decides: a form may be half filled, or show a new token. Rule: CON36.
import type { ReactNode } from 'react';
import { languageOf } from '../../language.ts';
import { settings as texts } from '../../messages/texts/settings.ts';
import { choosePreference, type Preference, type PreferenceName, usePreference } from '../../session/preferences.ts';
import { Section } from './section.tsx';

/** Each in its own language, so that its readers find it in any other one. */
const LANGUAGES = { en: 'English', ar: 'العربية' } as const;

export function Display() {
  return (
    <Section title={texts.display} lead={texts.displayLead}>
      <Choice name="theme" legend={texts.theme} labels={texts.themes} />
      <Choice name="motion" legend={texts.motion} labels={texts.motions} />
      <Choice
        name="language"
        legend={texts.language}
        labels={{ system: texts.browserLanguage, en: own('en'), ar: own('ar') }}
        help={<LanguageHelp />}
      />
    </Section>
  );
}

function LanguageHelp() {
  const chosen = usePreference('language');
  const isShown = languageOf(chosen, navigator.languages) === document.documentElement.lang;
  return (
    <div role="status">
      <p className="quiet">{isShown ? texts.languageHelp : texts.languageWaits}</p>
      {!isShown && (
        <button type="button" onClick={() => location.reload()}>
          {texts.reload}
        </button>
      )}
    </div>
  );
}

function own(language: keyof typeof LANGUAGES): ReactNode {
  return (
    <span lang={language} dir="auto">
      {LANGUAGES[language]}
    </span>
  );
}

interface ChoiceProps<N extends PreferenceName> {
  readonly name: N;
  readonly legend: string;
  readonly labels: Readonly<Record<Preference<N>, ReactNode>>;
  readonly help?: ReactNode;
}

function Choice<N extends PreferenceName>({ name, legend, labels, help }: ChoiceProps<N>) {
  const chosen = usePreference(name);
  return (
    <fieldset className="choices">
      <legend>{legend}</legend>
      {(Object.keys(labels) as Preference<N>[]).map((value) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === chosen} onChange={() => choosePreference(name, value)} />
          {labels[value]}
        </label>
      ))}
      {help}
    </fieldset>
  );
}
