import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { type Markup, pageDocument } from './page.ts';

export type SignInPage = {
  /** Path from this page to the root of the service's pages. */
  root?: string;
  /** Path of the session to open after signing in, such as `session/…`. */
  to?: string | undefined;
  problem?: string | undefined;
  /** True if people can sign in with Slack. */
  offersSlack?: boolean;
  /** Sentence that says where to get a key. */
  keyHint?: string | undefined;
};

export function signInPage(page: SignInPage = {}): Markup {
  const { root = '', to, problem, offersSlack } = page;
  const { keyHint = 'No key? Ask the operator of this service.' } = page;
  const content = html`<section class="sign-in"><h1>Sign in</h1>
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

/** Returns the path of a session to open after signing in. Returns undefined for any other value. */
export const sessionPath = (value: unknown): string | undefined =>
  /^session\/[\w-]+$/.exec(String(value ?? ''))?.[0];

const name = 'runs_pass';
const seconds = 30 * 24 * 60 * 60;

/** Creates functions that read and write the cookie of a browser that signed in. It holds a pass, never a key. */
export function createSignInCookie(publicUrl: () => string) {
  function options() {
    const url = new URL(publicUrl());
    const path = url.pathname.replace(/(?<=.)\/$/, '');
    const secure = url.protocol === 'https:';
    return { path, secure, httpOnly: true, sameSite: 'Lax', maxAge: seconds } as const;
  }
  return {
    seconds,
    options,
    get: (context: Context): string | undefined => getCookie(context, name),
    set: (context: Context, pass: string): void => setCookie(context, name, pass, options()),
    delete: (context: Context) => deleteCookie(context, name, options()),
  };
}
export type SignInCookie = ReturnType<typeof createSignInCookie>;
