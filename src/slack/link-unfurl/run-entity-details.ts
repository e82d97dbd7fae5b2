/** The details of a run as a work object, for one person who may see it. */
import type { Button, EntityActionButton } from '@slack/types';
import { maskSecrets } from 'base/secrets/mask-secrets';
import { pullRequestsOf } from '../../requests/pull-request.ts';
import type { FoundRun } from '../runs/reading/own-runs.ts';
import { publishButton } from '../runs/showing/buttons/publish-buttons.ts';
import { viewChangesButton } from '../runs/showing/buttons/run-buttons.ts';
import { patchOf } from '../runs/showing/run-artifacts.ts';
import { usageFacts } from '../runs/showing/run-facts.ts';
import {
  answerOf,
  changesLine,
  changesOf,
  failureMeaning,
  statusOf,
} from '../runs/showing/run-outcome.ts';
import { pullRequestFact } from '../runs/showing/run-pull-requests.ts';
import { type RowViewer, renderRowMenu } from '../runs/showing/run-row-view.ts';
import { requestRow, runRow } from '../runs/showing/run-rows.ts';
import { readRunTimes } from '../runs/showing/run-times.ts';
import { durationText } from '../text/dates.ts';
import { safeUrl, shorten } from '../text/escape-text.ts';
import { failureSentence } from '../text/failure.ts';
import { type RunEntity, renderPayload, textField } from './run-entity.ts';

const outcomeLimit = 2_500;
const promptLimit = 1_000;
/** https://docs.slack.dev/messaging/work-objects-implementation */
const primaryButtons = 2;
const moreButtons = 5;

export function renderRunDetails(linked: FoundRun, viewer: RowViewer): RunEntity['entity_payload'] {
  const row = 'run' in linked ? runRow(linked) : requestRow(linked.request);
  const run = 'run' in linked ? linked.run : linked.request.run;
  const request = 'request' in linked ? linked.request : undefined;
  const { attributes, fields, custom_fields: custom } = renderPayload(row);
  const changes = changesOf(run);
  const [pullRequest] = pullRequestsOf(run);
  const link = safeUrl(pullRequest?.url);
  const { tookMs } = request ? readRunTimes(request) : { tookMs: undefined };
  const outcome = shorten(outcomeOf(linked), outcomeLimit);
  const prompt = shorten(maskSecrets((request ?? run)?.prompt ?? '').text.trim(), promptLimit);
  const results = [
    textField('changes', 'Changes', changes && changesLine(changes)),
    textField('pull_request', 'Pull request', pullRequest && pullRequestFact(pullRequest), {
      ...(link && { link }),
    }),
    textField('duration', 'Ran for', tookMs === undefined ? undefined : durationText(tookMs)),
    textField('usage', 'Tokens and cost', usageFacts(run).join(', ')),
  ].flatMap((field) => field ?? []);
  const asked = prompt
    ? [{ key: 'prompt', label: 'Prompt', type: 'string', value: prompt, long: true }]
    : [];
  const shared = custom.filter(({ key }) => key !== 'outcome');
  return {
    attributes,
    fields: {
      ...fields,
      ...(outcome && { description: { label: 'Outcome', value: outcome, long: true } }),
    },
    custom_fields: [...results, ...shared, ...asked],
    display_order: [
      ...['status', 'description', ...results.map(({ key }) => key)],
      ...['created_by', 'date_created', ...shared.map(({ key }) => key), 'prompt'],
    ],
    actions: renderActions(linked, viewer),
  };
}

/** Why it has no run, what the agent answered, or what went wrong. */
function outcomeOf(linked: FoundRun): string {
  const run = 'run' in linked ? linked.run : linked.request.run;
  const problem = 'request' in linked ? linked.request.problem : null;
  const answer = answerOf(run);
  if (answer) return answer;
  return [
    problem &&
      failureSentence(problem.code, 'request' in linked ? linked.request.connectionId : ''),
    failureMeaning(run?.status_message?.error_code),
    problem?.message,
    statusOf(run),
  ]
    .filter(Boolean)
    .join('\n');
}

/** As in the menu of a list of runs. Slack can't ask before it sends these, so *Cancel* asks in a modal. */
function renderActions(linked: FoundRun, viewer: RowViewer) {
  const row = 'run' in linked ? runRow(linked) : requestRow(linked.request);
  const run = 'run' in linked ? linked.run : linked.request.run;
  const menu = renderRowMenu(row, viewer, 'entity')?.options ?? [];
  const verbs = menu.map(
    ({ text, value, url }): EntityActionButton => ({
      text: text.text,
      action_id: `run:row:entity:${value?.split(':')[0]}`,
      ...(value && { value }),
      ...(url && { url }),
    }),
  );
  const publish = 'request' in linked ? publishButton(linked.request.id, linked.request) : [];
  const results = [...(patchOf(run) ? [viewChangesButton(row.ref)] : []), ...publish];
  const isFirst = ({ action_id: id }: EntityActionButton) => /:(open|cancel)$/.test(id);
  const all = [
    ...verbs.filter(isFirst),
    ...results.map(asAction),
    ...verbs.filter((each) => !isFirst(each)),
  ];
  return {
    primary_actions: all.slice(0, primaryButtons),
    overflow_actions: all.slice(primaryButtons, primaryButtons + moreButtons),
  };
}

const asAction = ({ text, action_id: id, value }: Button): EntityActionButton => ({
  text: text.text,
  action_id: id ?? '',
  ...(value && { value }),
});
