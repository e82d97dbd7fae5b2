import type { html } from 'hono/html';

/** Safe HTML: `hono/html` escapes all values in it. */
export type Markup = ReturnType<typeof html>;
