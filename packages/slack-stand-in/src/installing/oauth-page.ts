import { Hono } from 'hono';
import { html } from 'hono/html';
import { newSecret } from '../lib/ids.ts';
import { ApiError } from '../web-api/api-error.ts';
import { teamOf } from '../world/directory.ts';
import type { World } from '../world/world.ts';
import type { AuthorizeRequest, OAuth } from './oauth.ts';

type Parts = { world: World; oauth: OAuth };

const style = `body { font: 16px/1.5 system-ui; max-width: 34rem; margin: 3rem auto; padding: 0 1rem;
  color-scheme: light dark } button { font: inherit; padding: .4rem 1rem; margin-right: .5rem }`;

/** `/oauth/v2/authorize`: the consent page. */
export function createOAuthPage({ world, oauth }: Parts): Hono {
  const page = new Hono();
  /** Each form works once, so other sites can't send one. */
  const open = new Map<string, AuthorizeRequest>();

  page.get('/v2/authorize', (context) => {
    const request = oauth.readRequest(context.req.query());
    const form = newSecret();
    open.set(form, request);
    const { scopes, optional = [] } = request;
    const required = scopes.filter((scope) => !optional.includes(scope));
    const installers = world.people.filter(({ role }) => role === 'admin' || role === 'owner');
    return context.html(html`<!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Install ${world.app.name}</title>
      <meta name="viewport" content="width=device-width"><style>${style}</style></head>
      <body><h1>${world.app.name} wants access to your workspace</h1>
      <p>It can then use:</p>
      <ul>${required.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>
      <form method="post" action="/oauth/v2/authorize">
        <input type="hidden" name="form" value="${form}">
        <p><label>Install as <select name="user">${installers.map(
          ({ id, realName, teamId }) =>
            html`<option value="${id}">${realName}, ${teamOf(world, teamId).name}</option>`,
        )}</select></label></p>
        ${
          optional.length > 0
            ? html`<fieldset><legend>Optional</legend>${optional.map(
                (scope) => html`<p><label>
                  <input type="checkbox" name="optional" value="${scope}" checked>
                  <code>${scope}</code></label></p>`,
              )}</fieldset>`
            : ''
        }
        ${
          world.organizations.length > 0
            ? html`<p><label><input type="checkbox" name="organization" value="yes">
                In the whole organization</label></p>`
            : ''
        }
        <button name="answer" value="allow">Allow</button>
        <button name="answer" value="deny">Cancel</button>
      </form></body></html>`);
  });

  page.post('/v2/authorize', async (context) => {
    const fields = await context.req.parseBody({ all: true });
    const form = String(fields['form']);
    const request = open.get(form);
    if (!request) throw new ApiError('invalid_form');
    open.delete(form);
    const isAllowed = fields['answer'] === 'allow';
    const isWhole = fields['organization'] === 'yes';
    const kept = [fields['optional'] ?? []].flat();
    const isGranted = (scope: string) => !request.optional?.includes(scope) || kept.includes(scope);
    const target = isAllowed
      ? oauth.allow(
          { ...request, scopes: request.scopes.filter(isGranted) },
          String(fields['user']),
          isWhole,
        )
      : oauth.deny(request);
    return context.redirect(target);
  });

  page.onError((error, context) => {
    if (!(error instanceof ApiError)) throw error;
    return context.html(
      html`<!doctype html><title>Not installed</title><p>The app can't be installed:
        <code>${error.code}</code></p>`,
      400,
    );
  });
  return page;
}
