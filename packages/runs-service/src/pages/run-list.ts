import { shownText } from 'base/secrets/mask-secrets';
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Run } from 'runs-client/contract';
import type { KeyOwner } from '../api/keys/keyring.ts';
import { ApiProblem } from '../api/problem.ts';
import { presentRun } from '../api/runs/present-run.ts';
import { readListQuery, writeCursor } from '../api/runs/read-list-query.ts';
import type { VisibleRuns } from '../api/runs/visible-runs.ts';
import type { RunListQuery } from '../store/run-filter.ts';
import { type Markup, pageDocument } from './page.ts';
import { runDuration, stateMark, stateNames, timeView } from './run-views.ts';
import type { SignIn } from './sign-in.ts';

type RunListOptions = {
  signIn: SignIn;
  visibleRuns: VisibleRuns;
  environmentIds: () => readonly string[];
};

/** Creates the route for the list of runs, which needs a key. The list has one URL, so links can be relative. */
export function createRunListRoutes(options: RunListOptions): Hono {
  const app = new Hono();
  app.get('/', (context, next) =>
    context.req.header('accept')?.includes('text/html') ? context.redirect('runs') : next(),
  );
  return app.get('/runs', async (context) => {
    const reader = await options.signIn.readerOf(context);
    if (!reader) return context.html(options.signIn.signInPage(), 401);
    const parameters = new URL(context.req.url).searchParams;
    const page = await readPage(options, reader, parameters);
    return context.html(runListPage(page), page.problem === undefined ? 200 : 400);
  });
}

async function readPage(
  { visibleRuns, environmentIds }: RunListOptions,
  reader: KeyOwner,
  parameters: URLSearchParams,
): Promise<RunListPage> {
  const fields = readFields(parameters);
  const about = { fields, environmentIds: environmentIds(), reader: reader.creator.display_name };
  try {
    const query = queryOf(fields, parameters);
    const { runs, next } = await visibleRuns.list(reader, query);
    return {
      ...about,
      older: next && writeCursor(next, query),
      runs: runs.map((run) =>
        presentRun(run, { reader, sessionLink: `session/${run.session_token}` }),
      ),
    };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    return { ...about, runs: [], problem: error.message };
  }
}

const pageRuns = '50';

export function readFields(parameters: URLSearchParams): ListFields {
  const field = (name: string) => (parameters.get(name) ?? '').trim();
  return {
    q: field('q'),
    state: field('state'),
    creator: field('creator'),
    environment: field('environment'),
    name: field('name'),
    from: field('from'),
    to: field('to'),
  };
}

/**
 * Converts the filters into an API query that sorts by creation time, newest first.
 * @throws ApiProblem that names the field with an invalid value
 */
export function queryOf(fields: ListFields, parameters: URLSearchParams): RunListQuery {
  const { from, to, environment, ...same } = fields;
  const query = new URLSearchParams({
    ...same,
    environment_id: environment,
    created_after: from === '' ? '' : new Date(startOf(from, 'from') - 1).toISOString(),
    created_before: to === '' ? '' : new Date(startOf(to, 'to') + 86_400_000).toISOString(),
    limit: pageRuns,
    sort_by: 'created_at',
    sort_order: 'desc',
    cursor: parameters.get('older') ?? '',
  });
  return readListQuery(query);
}

/** Returns the start of a day in UTC, as a timestamp in ms. */
function startOf(day: string, field: string): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at))
    throw new ApiProblem('invalid_request', `${field}: must be a date such as 2026-01-31`);
  return at;
}

/** Values of the filter fields, as typed. */
export type ListFields = Record<
  'q' | 'state' | 'creator' | 'environment' | 'name' | 'from' | 'to',
  string
>;

export type RunListPage = {
  runs: readonly Run[];
  fields: ListFields;
  environmentIds: readonly string[];
  /** Explanation of a wrong filter value. */
  problem?: string | undefined;
  /** Cursor of the next page, which has older runs. */
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
  const filled = Object.entries(fields).filter(([, value]) => value !== '');
  const address = `runs?${new URLSearchParams({ ...Object.fromEntries(filled), older })}`;
  return html`<nav class="pages" aria-label="Pages"><a rel="next" href="${address}">Older →</a></nav>`;
}
