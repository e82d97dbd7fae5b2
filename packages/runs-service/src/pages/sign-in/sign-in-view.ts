import { html } from 'hono/html';
import type { Markup } from '../markup.ts';
import { pageDocument } from '../page-document.ts';

export type SignInPage = {
  /** The path to the service's pages, relative to this one. */
  root?: string;
  /** The session to open afterward, such as `session/…`. */
  to?: string | undefined;
  problem?: string | undefined;
  /** True if people can sign in with Slack. */
  offersSlack?: boolean;
  /** Where people get a key. */
  keyHint?: string | undefined;
};

export function signInPage(page: SignInPage = {}): Markup {
  const { root = '', to, problem, offersSlack } = page;
  const { keyHint = 'No key? Ask the operator of this service.' } = page;
  const content = html`<section class="sign-in"><h1>${to === undefined ? 'Runs' : 'Session'}</h1>
<form method="post" action="${root}runs">
${to === undefined ? '' : html`<input type="hidden" name="to" value="${to}">`}
<label for="key">API key of the runs service</label>
<input id="key" name="key" type="password" autocomplete="current-password" required autofocus>
${problem === undefined ? '' : html`<p class="reason" role="alert">${problem}</p>`}
<button>Sign in</button>
</form>
${offersSlack && to !== undefined ? html`<p><a href="${root}sign-in/slack?to=${to}">Sign in with Slack</a></p>` : ''}
<p class="none">${keyHint}</p></section>`;
  return pageDocument({ title: 'Sign in', root, content });
}

/** The path of a session that someone opens after signing in; undefined if it's anything else. */
export const sessionPath = (given: unknown): string | undefined =>
  /^session\/[\w-]+$/.exec(String(given ?? ''))?.[0];
