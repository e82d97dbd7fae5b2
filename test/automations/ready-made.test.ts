import { expect, it } from 'vitest';
import { definitionSchema } from '../../src/automations/automation.ts';
import { filterText, matches, readFilter } from '../../src/automations/filter.ts';
import { readyMade } from '../../src/automations/ready-made.ts';
import { renderTemplate, templateProblem } from '../../src/automations/template.ts';

/** Deliveries as the senders' documentation describes them, shortened to the fields that people use. */
const issue = {
  number: 1347,
  title: 'Found a bug',
  state: 'open',
  html_url: 'https://github.com/octocat/Hello-World/issues/1347',
};
const repository = { full_name: 'octocat/Hello-World', default_branch: 'trunk' };
const suite = {
  head_branch: 'trunk',
  head_sha: 'd6fde92930d4715a2b49857d24b940956b26d2d3',
  conclusion: 'failure',
  app: { name: 'GitHub Actions' },
};
const sentryIssue = {
  title: 'ReferenceError: blooopy is not defined',
  culprit: 'checkout(app/components)',
  status: 'unresolved',
  web_url: 'https://acme.sentry.io/issues/1170820242/',
  project: { slug: 'front-end' },
};
const incident = {
  title: 'A little bump in the road',
  html_url: 'https://acme.pagerduty.com/incidents/PGR0VU2',
  service: { summary: 'API Service' },
};

type Example = { passes: unknown; rejected: unknown[] };

const labeled = { action: 'labeled', label: { name: 'agent' }, issue, repository };
const completed = { action: 'completed', check_suite: suite, repository };
const created = { action: 'created', data: { issue: sentryIssue } };
const triggered = { event: { id: '1', event_type: 'incident.triggered', data: incident } };
const deployed = { status: 'success', environment: 'production', version: '1.2.3' };

const examples: Record<string, Example> = {
  'GitHub issue labeled': {
    passes: labeled,
    rejected: [
      { zen: 'Keep it logically awesome.', repository },
      { ...labeled, action: 'unlabeled' },
      { ...labeled, label: { name: 'bug' } },
      { ...labeled, issue: { ...issue, state: 'closed' } },
      { ...labeled, issue: undefined, pull_request: issue },
    ],
  },
  'GitHub check failed on the default branch': {
    passes: completed,
    rejected: [
      { ...completed, check_suite: { ...suite, conclusion: 'success' } },
      { ...completed, check_suite: { ...suite, head_branch: 'feature' } },
      { ...completed, check_suite: { ...suite, head_branch: null } },
      { ...completed, check_suite: { ...suite, head_branch: '' }, repository: {} },
    ],
  },
  'Sentry new issue': {
    passes: created,
    rejected: [
      { ...created, action: 'resolved' },
      { action: 'created', data: { comment: 'hello', issue_id: 100 } },
    ],
  },
  'PagerDuty incident': {
    passes: triggered,
    rejected: [{ event: { ...triggered.event, event_type: 'incident.resolved' } }],
  },
  'Deploy finished': {
    passes: deployed,
    rejected: [
      { ...deployed, status: 'failure' },
      { ...deployed, environment: 'staging' },
    ],
  },
};

it.each(readyMade)('$name starts for its event only, with values', (made) => {
  const example = examples[made.name];
  expect(matches(made.filter, example?.passes)).toBe(true);
  for (const other of example?.rejected ?? [{}]) expect(matches(made.filter, other)).toBe(false);
  for (const template of [made.title, made.prompt]) {
    expect(templateProblem(template, 'webhook')).toBeUndefined();
    const { unknown } = renderTemplate(template, { payload: example?.passes, date: '' });
    expect(unknown).toEqual([]);
  }
});

it.each(readyMade)('$name fits the form', ({ filter, sender, title, prompt }) => {
  expect(readFilter(filterText(filter))).toEqual(filter);
  const trigger = { kind: 'webhook', sender, filter };
  const rest = { preset: null, config: {}, show: 'message', startsPerHour: 20, activeRuns: 3 };
  expect(definitionSchema.safeParse({ trigger, title, prompt, ...rest }).error).toBeUndefined();
});
