import { shownText } from 'base/secrets/mask-secrets';
import { html } from 'hono/html';
import type { Run } from 'runs-client/contract';
import type { Markup } from '../markup.ts';
import { pageDocument } from '../page-document.ts';
import { runDuration, stateMark, stateNames, timeView } from '../run-views.ts';

/** The values of the filter fields, as typed. */
export type ListFields = Record<
  'q' | 'state' | 'creator' | 'environment' | 'name' | 'from' | 'to',
  string
>;

export type RunListPage = {
  runs: readonly Run[];
  fields: ListFields;
  environmentIds: readonly string[];
  /** What's wrong with the filters. */
  problem?: string | undefined;
  /** The cursor of the next page. */
  older?: string | undefined;
  reader: string;
};

const states = Object.entries({ '': 'Any', ...stateNames });

export function runListPage(page: RunListPage): Markup {
  const { runs, problem, reader } = page;
  const content = html`<header class="top"><h1>Runs</h1>
<form method="post" action="runs"><span class="by">${reader}</span> <button name="sign_out" value="yes">Sign out</button></form></header>
${filterView(page)}
${problem === undefined ? '' : html`<p class="reason" role="alert">${problem}</p>`}
<section class="list">${
    runs.length === 0
      ? html`<p class="none">No runs found</p>`
      : html`<ul class="runs">${runs.map(rowView)}</ul>`
  }</section>
${pagesView(page)}`;
  return pageDocument({ title: 'Runs', root: '', content });
}

function filterView({ fields, environmentIds }: RunListPage): Markup {
  const environments = [...new Set([fields.environment, ...environmentIds])].filter(Boolean);
  const option = (value: string, label: string, chosen: string) =>
    html`<option value="${value}" ${value === chosen ? 'selected' : ''}>${label}</option>`;
  return html`<form class="filters" method="get" action="runs" role="search">
<label>Search <input type="search" name="q" value="${fields.q}" placeholder="Title or prompt"></label>
<label>State <select name="state">${states.map(([value, label]) => option(value, label, fields.state))}</select></label>
<label>Creator <input name="creator" value="${fields.creator}"></label>
<label>Environment <select name="environment">${option('', 'Any', fields.environment)}${environments.map((id) => option(id, id, fields.environment))}</select></label>
<label>Name <input name="name" value="${fields.name}"></label>
<label>From (UTC) <input type="date" name="from" value="${fields.from}"></label>
<label>To (UTC) <input type="date" name="to" value="${fields.to}"></label>
<span class="do"><button>Filter</button> <a href="runs">Clear</a></span>
</form>`;
}

function rowView(run: Run): Markup {
  const title = html`<bdi>${shownText(run.title ?? run.prompt)}</bdi>`;
  const facts = [
    run.creator?.display_name ?? run.creator?.uid,
    run.agent_config?.environment_id,
    run.agent_config?.name,
    run.run_time && `ran ${runDuration(run.run_time)}`,
  ].filter(Boolean);
  return html`<li>${stateMark(run.state)}
<div><p class="title">${run.session_link ? html`<a href="${run.session_link}">${title}</a>` : title}</p>
<p class="by">${timeView(run.created_at)}${facts.map((fact) => html` · <bdi>${fact}</bdi>`)}</p></div></li>`;
}

function pagesView({ fields, older }: RunListPage): Markup | string {
  if (older === undefined) return '';
  const given = Object.entries(fields).filter(([, value]) => value !== '');
  const address = `runs?${new URLSearchParams({ ...Object.fromEntries(given), older })}`;
  return html`<nav class="pages" aria-label="Pages"><a rel="next" href="${address}">Older →</a></nav>`;
}
