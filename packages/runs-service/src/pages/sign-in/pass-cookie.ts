import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

const name = 'runs_pass';
const seconds = 30 * 24 * 60 * 60;

/** The cookie of a browser that signed in. It holds a pass, never a key. */
export function createPassCookie(publicUrl: () => string) {
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
export type PassCookie = ReturnType<typeof createPassCookie>;
