import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ApiProblem } from '../api/problem.ts';
import { pageDocument } from './page-document.ts';
import { setPageHeaders } from './page-headers.ts';

/** The same problem for someone who opened an address in a browser; undefined for a client of the API. */
export async function answerWithPage(
  context: Context,
  problem: ApiProblem,
): Promise<Response | undefined> {
  const { path } = context.req;
  const isForBrowser = context.req.header('accept')?.includes('text/html') ?? false;
  if (!isForBrowser || path.startsWith('/api/')) return undefined;
  const root = '../'.repeat(path.split('/').length - 2);
  const page = await pageDocument({
    title: problem.title,
    root,
    content: html`<section class="sign-in"><h1>${problem.title}</h1>
<p>${problem.message}</p>
<p><a href="${root}runs">All runs</a></p></section>`,
  });
  for (const [name, value] of Object.entries(problem.headers)) context.header(name, value);
  setPageHeaders(context, "form-action 'none'");
  return context.html(page, problem.status);
}
