// The page on which a person with a mailed link chooses a password. It loads nothing. The link's
// token is behind its `#`, which no server, proxy or mail scanner receives. Rule: AUTH4.
import { createHash } from 'node:crypto';
import { PASSWORD_LENGTH } from '@taskgraph/wire/account-fields';

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 10vh auto; max-width: 24rem; padding: 0 1rem; color-scheme: light dark }
label, input:not([type=checkbox]), button { display: block; font: inherit; width: 100%; box-sizing: border-box; margin: 0.5rem 0 }
`;

/** Only a person submits the form; opening the page changes nothing. */
const SCRIPT = `
const form = document.querySelector('form');
const said = document.querySelector('output');
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
history.replaceState(null, '', location.pathname);
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  said.textContent = 'One moment.';
  try {
    const { password, endTokens } = form.elements;
    const choice = endTokens ? { endTokens: endTokens.checked } : {};
    const body = JSON.stringify({ token, password: password.value, ...choice });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await (await fetch(location.pathname, { method: 'POST', headers, body })).json();
    said.textContent = answer.ok ? 'Your password is set. You can sign in with it now.' : answer.message;
    form.hidden = answer.ok;
  } catch {
    said.textContent = 'That did not work. Try again in a moment.';
  }
});
`;

/** A document and its security headers. */
export interface Page {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A person whose password was stolen may also want to end the API tokens, calendars and webhooks that the thief made. */
const END_TOKENS = `<label><input type="checkbox" name="endTokens"> End my API tokens, calendars and webhooks too: programs that use them need new ones</label>
`;

/**
 * `title` is one line of plain text. `mayEndTokens`: whether the form offers to end the user's API
 * tokens.
 */
export function passwordPage(title: string, { mayEndTokens }: { readonly mayEndTokens: boolean }): Page {
  const { least, most } = PASSWORD_LENGTH;
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
<h1>${title}</h1>
<form>
<label>New password, at least ${least} characters
<input type="password" name="password" autocomplete="new-password" minlength="${least}" maxlength="${most}" required></label>
${mayEndTokens ? END_TOKENS : ''}<button>Set the password</button>
</form>
<output aria-live="polite"></output>
<noscript>This page needs scripts.</noscript>
<script type="module">${SCRIPT}</script>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(SCRIPT)}'`,
    `style-src '${hashOf(STYLE)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  const headers = { 'Content-Security-Policy': policy.join('; '), 'Cross-Origin-Opener-Policy': 'same-origin' };
  return { html, headers };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
