// The scopes of a new token, all chosen at first. `hooks` is not among them: it has no calls yet,
// and a token with all scopes includes it.
import type { Scope } from '@taskgraph/client';
import { settings as texts } from '../../messages/texts/settings.ts';

const OFFERED = ['read', 'edit', 'link', 'trash', 'share', 'delete'] as const satisfies readonly Scope[];

export function ScopeChoice() {
  return (
    <fieldset className="choices">
      <legend>{texts.scopesLegend}</legend>
      {OFFERED.map((scope) => (
        <label key={scope}>
          <input type="checkbox" name="scopes" value={scope} defaultChecked />
          {texts.scopes[scope]}
        </label>
      ))}
    </fieldset>
  );
}

/** The scopes of a form; absent if all are chosen. */
export function chosenScopes(fields: FormData): { scopes?: Scope[] } {
  const chosen = fields.getAll('scopes');
  const scopes = OFFERED.filter((scope) => chosen.includes(scope));
  return scopes.length === OFFERED.length ? {} : { scopes };
}

/** What a token may do, in words; null if it may do everything. */
export function scopeText(scopes: readonly Scope[]): string | null {
  const shown = OFFERED.filter((scope) => scopes.includes(scope));
  if (shown.length === OFFERED.length) return null;
  return texts.mayOnly(shown.map((scope) => texts.scopes[scope]));
}
