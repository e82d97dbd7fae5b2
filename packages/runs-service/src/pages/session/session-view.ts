import { html } from 'hono/html';
import type { AgentConfig } from 'runs-client/contract';
import { requestIdKey } from 'runs-client/create-attempt';
import { type Markup, pageDocument } from '../page.ts';
import { runDuration, stateMark, stateName, timeView } from '../run-views.ts';
import { changesView, filesView } from './changes-view.ts';
import { modelCallsView } from './model-calls-view.ts';
import { outputView } from './output-view.ts';
import { messageView, progressView, stepsView } from './progress-view.ts';
import { questionView } from './question-view.ts';
import type { Session } from './read-session.ts';

export function sessionPage(session: Session): Markup {
  const { run, ended, address } = session;
  const content = html`${headerView(session)}
<div class="columns">
<div class="story">
${questionView(session)}
${ended ? resultView(session) : progressView(session.progress)}
${promptView(session)}
${modelCallsView(session.calls)}
${outputView(session)}
</div>
<aside>${timelineView(session)}${configurationView(session)}${technicalView(session)}</aside>
</div>`;
  const title = `${stateName(run.state)}: ${run.title}`;
  const version = ended ? undefined : Date.parse(run.updated_at);
  return pageDocument({ title, root: '../', address, version, content });
}

/** Renders the results of an ended run. */
function resultView(session: Session): Markup {
  const { progress } = session;
  return html`${messageView('Answer', progress)}
<div id="changes">${changesView(session)}${filesView(session)}</div>
${stepsView(progress)}`;
}

/** Renders the prompt. It's folded once the run has an answer or has ended. */
function promptView({ run, followups, ended, progress }: Session): Markup {
  const isOpen = !ended && !progress.answer;
  const more = followups.length === 1 ? 'and 1 follow-up' : `and ${followups.length} follow-ups`;
  return html`<section id="prompt"><details ${isOpen ? 'open' : ''}>
<summary><h2>Prompt ${followups.length > 0 ? html`<span class="count">${more}</span>` : ''}</h2></summary>
<pre class="prompt" dir="auto">${run.prompt}</pre>
${followups.map((text) => html`<h3>Follow-up</h3><pre class="prompt" dir="auto">${text}</pre>`)}</details></section>`;
}

function headerView({ run, creator }: Session): Markup {
  const message = run.state === 'SUCCEEDED' ? undefined : run.status_message?.message;
  return html`<header id="header">
<p class="by"><a href="../runs">All runs</a></p>
${stateMark(run.state)}
<h1 dir="auto">${run.title}</h1>
<p class="by">${creator ?? 'Unknown creator'} · ${timeView(run.created_at)}${run.run_time ? html` · ran ${runDuration(run.run_time)}` : ''}</p>
${message ? html`<pre class="reason" dir="auto">${message}</pre>` : ''}
</header>`;
}

function timelineView({ changes }: Session): Markup {
  const entries = changes.map((change, index) => {
    const isNewState = change.state !== changes[index - 1]?.state;
    // Skip changes without a new state or a note, because the timeline has nothing to show for them.
    if (!isNewState && change.note === null) return '';
    // Show the note when a run continues after a question, because the note has the answer.
    const isNamed = change.note === null || (isNewState && change.state !== 'INPROGRESS');
    const text = isNamed ? stateName(change.state) : change.note;
    const iso = new Date(change.changed_at).toISOString();
    return html`<li class="${isNewState ? `moved state-${change.state.toLowerCase()}` : 'noted'}">
<span class="dot"></span><span class="what">${text}</span>${timeView(iso)}</li>`;
  });
  return html`<section id="timeline"><h2>Timeline</h2><ol class="timeline">${entries}</ol></section>`;
}

function configurationView(session: Session): Markup | string {
  const { run, config, repositories, network } = session;
  const rows = rowsView([
    ['Environment', config.environment_id],
    ['Repositories', repositories.join(', ')],
    ['Sandbox', session.isolationWarning],
    ['Network', network],
    ['Model', config.model_id],
    ['Name', config.name],
    ['Skill', config.skill_spec],
    ['MCP servers', describeServers(config)],
    ['Base prompt', config.base_prompt],
    ['Started from', run.source ? sourceName(run.source) : undefined],
  ]);
  return rows.length > 0 ? html`<section><h2>Configuration</h2><dl>${rows}</dl></section>` : '';
}

/** Renders the ID and the metadata, folded because only developers and operators need them. */
function technicalView({ run }: Session): Markup {
  const metadata = Object.entries(run.metadata ?? {}).filter(([name]) => !isInternal(name));
  return html`<section id="technical"><details><summary><h2>Technical details</h2></summary>
<dl>${rowsView([['Run ID', run.run_id], ...metadata])}</dl></details></section>`;
}

const rowsView = (rows: readonly (readonly [string, string | undefined])[]): Markup[] =>
  rows.flatMap(([name, value]) =>
    value ? [html`<div><dt>${name}</dt><dd dir="auto">${linked(value)}</dd></div>`] : [],
  );

const sourceNames: Record<string, string> = {
  API: 'API',
  CLI: 'CLI',
  GITHUB_ACTION: 'GitHub Action',
};

/** Returns a source's name for people, such as `Slack` for `SLACK`. Callers can set other sources. */
function sourceName(source: string): string {
  if (Object.hasOwn(sourceNames, source)) return sourceNames[source] ?? source;
  return (source.charAt(0) + source.slice(1).toLowerCase()).replaceAll('_', ' ');
}

/** Returns true for metadata that only the bot and the client use. */
const isInternal = (name: string): boolean => name === requestIdKey || name.startsWith('slack_');

function linked(value: string): Markup | string {
  if (!/^https?:\/\//.test(value)) return value;
  return html`<a href="${value}" rel="noreferrer noopener">${value}</a>`;
}

const describeServers = (config: AgentConfig): string =>
  Object.entries(config.mcp_servers ?? {})
    .map(([name, { url, warp_id }]) =>
      [name, (url ?? warp_id) && `(${url ?? warp_id})`].filter(Boolean).join(' '),
    )
    .join(', ');
