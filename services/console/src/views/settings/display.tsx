// Theme and motion.
import { settings as texts } from '../../messages/en/settings.ts';
import { choosePreference, type Preference, type PreferenceName, usePreference } from '../../session/preferences.ts';
import { Section } from './section.tsx';

export function Display() {
  return (
    <Section title={texts.display} lead={texts.displayLead}>
      <Choice name="theme" legend={texts.theme} words={texts.themes} />
      <Choice name="motion" legend={texts.motion} words={texts.motions} />
    </Section>
  );
}

interface ChoiceProps<N extends PreferenceName> {
  readonly name: N;
  readonly legend: string;
  readonly words: Readonly<Record<Preference<N>, string>>;
}

function Choice<N extends PreferenceName>({ name, legend, words }: ChoiceProps<N>) {
  const chosen = usePreference(name);
  return (
    <fieldset className="choices">
      <legend>{legend}</legend>
      {(Object.keys(words) as Preference<N>[]).map((value) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === chosen} onChange={() => choosePreference(name, value)} />
          {words[value]}
        </label>
      ))}
    </fieldset>
  );
}
