import type { html } from 'hono/html';

/** HTML that is safe to write out: `hono/html` has escaped everything in it that came from outside. */
export type Markup = ReturnType<typeof html>;
