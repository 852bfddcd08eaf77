// Theme, motion and language.
import type { ReactNode } from 'react';
import { settings as texts } from '../../messages/texts/settings.ts';
import { choosePreference, type Preference, type PreferenceName, usePreference } from '../../session/preferences.ts';
import { useLanguageChange } from './language-change.ts';
import { Section } from './section.tsx';

/** Each in its own language, so that its readers find it in any other one. */
const LANGUAGES = { en: 'English', ar: 'العربية' } as const;

export function Display() {
  const showLanguage = useLanguageChange();
  return (
    <Section title={texts.display} lead={texts.displayLead}>
      <Choice name="theme" legend={texts.theme} words={texts.themes} />
      <Choice name="motion" legend={texts.motion} words={texts.motions} />
      <Choice
        name="language"
        legend={texts.language}
        words={{ system: texts.browserLanguage, en: own('en'), ar: own('ar') }}
        help={texts.languageHelp}
        onChosen={showLanguage}
      />
    </Section>
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
  readonly words: Readonly<Record<Preference<N>, ReactNode>>;
  readonly help?: string;
  readonly onChosen?: () => void;
}

function Choice<N extends PreferenceName>({ name, legend, words, help, onChosen }: ChoiceProps<N>) {
  const chosen = usePreference(name);
  const choose = (value: Preference<N>) => {
    choosePreference(name, value);
    onChosen?.();
  };
  return (
    <fieldset className="choices">
      <legend>{legend}</legend>
      {(Object.keys(words) as Preference<N>[]).map((value) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === chosen} onChange={() => choose(value)} />
          {words[value]}
        </label>
      ))}
      {help !== undefined && <p className="quiet">{help}</p>}
    </fieldset>
  );
}
