import type { PatchFile } from 'base/read-patch';
import { html } from 'hono/html';
import { type Markup, pageDocument } from 'runs-service/pages/page';
import { countView, fileView } from 'runs-service/pages/session/changes-view';
import { demoOwner } from './api-routes.ts';
import type { PullRequest } from './pull-requests.ts';

export function pullRequestPage(
  pull: PullRequest,
  files: readonly PatchFile[],
  problem?: string,
): Markup {
  const { title, number, repository, body, head, base } = pull;
  const { word, tone } = stateOf(pull);
  return pageDocument({
    title: `${title} · ${demoOwner}/${repository}#${number}`,
    root: '../../../',
    content: html`<header>
<p class="by">Demo git host · on this machine only</p>
<h1 dir="auto">${title}</h1>
<p class="state state-${tone}"><span class="dot"></span>${word}</p>
<p class="by">${demoOwner}/${repository}#${number} · <code>${head}</code> into <code>${base}</code></p>
${problem ? html`<pre class="reason">${problem}</pre>` : ''}
</header>
${body === '' ? '' : html`<section><h2>Description</h2><pre class="prompt" dir="auto">${body}</pre></section>`}
${pull.merge ? '' : mergeForm(pull)}
<section><h2>Changes ${countView(files)}</h2>
${files.map((file) => fileView(file, file.lines, true))}</section>`,
  });
}

function stateOf({ merge, draft }: PullRequest): { word: string; tone: string } {
  if (merge) return { word: 'Merged', tone: 'succeeded' };
  return draft ? { word: 'Draft', tone: 'queued' } : { word: 'Open', tone: 'inprogress' };
}

const mergeForm = ({ number, draft }: PullRequest) =>
  html`<section><h2>Merge</h2>
<form method="post" action="${number}/merge"><button ${draft ? 'disabled' : ''}>Merge pull request</button></form>
<p class="none">${draft ? 'A draft can be merged once it is marked as ready.' : 'Slack shows the new state within a minute.'}</p></section>`;
