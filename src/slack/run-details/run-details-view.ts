/** Renders *Details*, a modal with all known data of one run. */
import type { ActionsBlock, KnownBlock, ModalView, SectionBlock } from '@slack/types';
import { maskSecrets } from 'base/secrets/mask-secrets';
import { pullRequestsOf } from '../../requests/pull-request.ts';
import type { Rating } from '../../store/requests/run-feedback.ts';
import {
  type ConfigField,
  configFields,
  defaultsOrigins,
  fieldLabels,
  originText,
} from '../configuration/run-defaults.ts';
import { publishButton, pullRequestButtons } from '../runs/showing/buttons/publish-buttons.ts';
import {
  canBeCanceled,
  cancelButton,
  openSessionAction,
  recurButton,
  revokeLinkButton,
  savePresetButton,
  viewChangesButton,
  viewPlanButton,
} from '../runs/showing/buttons/run-buttons.ts';
import { countRatings } from '../runs/showing/buttons/run-feedback.ts';
import { listArtifacts, patchOf, planOf } from '../runs/showing/run-artifacts.ts';
import { contextFacts, originFacts } from '../runs/showing/run-facts.ts';
import { requestLabel, stateLabel } from '../runs/showing/run-label.ts';
import {
  answerOf,
  changesOf,
  changesText,
  failureMeaning,
  statusOf,
} from '../runs/showing/run-outcome.ts';
import { renderPullRequests } from '../runs/showing/run-pull-requests.ts';
import { readRunTimes } from '../runs/showing/run-times.ts';
import { actions, button, context, header, modal, section } from '../text/blocks.ts';
import { durationText, time } from '../text/dates.ts';
import { escapeText, safeUrl, shorten } from '../text/escape-text.ts';
import { failureSentence } from '../text/failure.ts';
import { codeBlock, codeBlocks, linkList, plainTexts } from '../text/rich-text.ts';
import type { DetailedRun } from './detailed-run.ts';
import { renderRunUsage } from './run-usage.ts';

/** Max blocks of text. Slack limits a view to 250 KB, which is enough for a thread of 20,000 characters. */
const textPieces = 7;
const artifactsShown = 40;
const pullRequestsShown = 10;
const inSession = 'in the session';
const valueLimit = 300;
const statusLimit = 2_900;

export const renderDetails = (detailed: DetailedRun, feedback: readonly Fact[] = []): ModalView =>
  detailsModal([
    header(detailed.title),
    ...renderState(detailed),
    ...renderResults(detailed),
    ...renderRunUsage(detailed.run),
    ...facts('Feedback', feedback),
    ...facts('Configuration', configurationFacts(detailed)),
    ...facts('Context', [['From Slack', contextFacts(detailed).join(', ')]]),
    section(`*Timeline*\n${timeline(detailed).join('\n')}`),
    ...facts('IDs', [
      ['Run', detailed.run?.run_id ?? detailed.runId],
      ['Session', detailed.run?.session_id],
      ['Conversation', detailed.run?.conversation_id],
      ['Request', 'requestId' in detailed.ref && detailed.ref.requestId],
    ]),
    ...renderText('Prompt', detailed.prompt),
    ...renderText('Sent with it from Slack', detailed.context),
    ...renderActions(detailed),
  ]);

/**
 * Renders the modal that is shown until the runs service responds.
 * @param text trusted mrkdwn
 */
export const renderDetailsMessage = (text: string): ModalView => detailsModal([section(text)]);

export const detailsView = 'run-details';

const detailsModal = (blocks: KnownBlock[]): ModalView =>
  modal({ callbackId: detailsView, title: 'Run details', blocks });

function renderText(heading: string, text: string | null): KnownBlock[] {
  if (!text) return [];
  return [section(`*${heading}*`), ...codeBlocks(maskSecrets(text).text, textPieces)];
}

function renderState(detailed: DetailedRun): KnownBlock[] {
  const { run, problem } = detailed;
  const label = requestLabel(detailed);
  const lastState = run && stateLabel(run.state).word;
  const status = run?.status_message;
  const meaning = failureMeaning(status?.error_code);
  const answer = answerOf(run);
  const changes = changesOf(run);
  const messages = [problem?.message, answer ? undefined : statusOf(run)].flatMap(
    (each) => each?.trim() || [],
  );
  return [
    section(`${label.sign} *${escapeText(label.word, 100)}*`),
    ...facts('Runs service', [['Last known state', lastState !== label.word && lastState]]),
    ...facts('Error', [['Code', status?.error_code]]),
    ...(problem ? [section(failureSentence(problem.code, detailed.connectionId))] : []),
    ...(meaning ? [section(meaning)] : []),
    ...messages.map((each) => codeBlock(each, statusLimit)),
    ...(answer ? [section('*Answer*'), ...plainTexts(answer, textPieces)] : []),
    ...(changes ? [section(`*Changes*\n${changesText(changes)}`)] : []),
  ];
}

function renderResults(detailed: DetailedRun): KnownBlock[] {
  const { run } = detailed;
  const { listed, left } = listArtifacts(run, artifactsShown);
  return [
    ...(pullRequestsOf(run).length > 0 ? [section('*Pull requests*')] : []),
    ...renderPullRequests(detailed, { shown: pullRequestsShown, rest: inSession }),
    ...(listed.length > 0 ? [section('*Results*'), linkList(listed)] : []),
    ...(left > 0 ? [context(`… ${left} more ${inSession}`)] : []),
  ];
}

function renderActions({ ref, ...detailed }: DetailedRun): ActionsBlock[] {
  const url = safeUrl(detailed.run?.session_link);
  const buttons = [
    ...(url ? [button(openSessionAction, 'Open session', { url })] : []),
    ...(patchOf(detailed.run) ? [viewChangesButton(ref)] : []),
    ...(planOf(detailed.run) ? [viewPlanButton(ref)] : []),
    ...('requestId' in ref
      ? [...publishButton(ref.requestId, detailed), ...pullRequestButtons(ref.requestId, detailed)]
      : []),
    ...('requestId' in ref && canBeCanceled(detailed) ? [cancelButton(ref.requestId)] : []),
    ...('requestId' in ref ? [savePresetButton(ref.requestId)] : []),
    ...('requestId' in ref && detailed.step === 'ended' ? [recurButton(ref.requestId)] : []),
    ...('requestId' in ref && url ? [revokeLinkButton(ref.requestId)] : []),
  ];
  return buttons.length > 0 ? [actions(buttons)] : [];
}

/** Renders one section with the known values, or none if there are no values. */
function facts(heading: string, all: readonly Fact[]): SectionBlock[] {
  const lines = all.flatMap(([name, value]) =>
    value
      ? [`${name}: ${escapeText(shorten(value.replace(/\s+/g, ' '), valueLimit), valueLimit)}`]
      : [],
  );
  return lines.length > 0 ? [section([`*${heading}*`, ...lines].join('\n'))] : [];
}

type Fact = [name: string, value: string | null | undefined | false];

/**
 * Fields for which the runs service always chooses a value if the request has none. The service may not report this
 * value.
 */
const alwaysChosen = new Set<ConfigField>(['environment_id', 'model_id']);

/** Returns the set values of the configuration, each with its source at the time of the request. */
function configurationFacts(detailed: DetailedRun): Fact[] {
  return configFields.map((field) => [fieldLabels[field], fact(detailed, field)]);
}

/** Returns the value that the runs service used, and the requested one if it differs. */
function fact(detailed: DetailedRun, field: ConfigField): string | undefined {
  const { config, origin, run, ref } = detailed;
  const requested = textOf(config[field]);
  const used = textOf(run?.agent_config?.[field]);
  // Return only the used value for a run from outside Slack, whose requested values aren't known.
  if ('runId' in ref) return used;
  const from = describeOrigin(origin?.fields?.[field]);
  if (used && used !== requested) {
    const instead = requested ? `; requested: ${requested}${from && `, ${from}`}` : '';
    return `${used} (chosen by the service${instead})`;
  }
  if (requested) return `${requested}${from && ` (${from})`}`;
  return alwaysChosen.has(field) ? 'chosen by the service' : undefined;
}

/** Names the source of a value, never with "your", because everyone who can see the run reads it. */
function describeOrigin(origin: string | undefined): string {
  return origin === defaultsOrigins.person ? "the creator's setting" : originText(origin ?? '');
}

/** Returns only the names of MCP servers, because their configuration contains keys. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null) return Object.keys(value).join(', ');
  return typeof value === 'string' && value ? value : undefined;
}

/** Counts the ratings of the result without names, and shows the reader's own. */
export function feedbackFacts(ratings: readonly Rating[], readerId: string): Fact[] {
  if (ratings.length === 0) return [];
  const { good, bad } = countRatings(ratings);
  const own = ratings.find(({ userId }) => userId === readerId);
  return [
    ['Ratings', `${good} good, ${bad} bad`],
    ['Yours', own && (own.isGood ? 'good' : 'bad')],
  ];
}

/** Lists the events of a run in order, one line each. */
function timeline(detailed: DetailedRun): string[] {
  const { asked: requestedAt, started, ended, tookMs } = readRunTimes(detailed);
  // A workflow or an automation begins with "by" already.
  const by = detailed.creator.startsWith('by ') ? '' : 'by ';
  const steps: [at: number | null | undefined, what: string][] = [
    [requestedAt, [`requested ${by}${detailed.creator}`, ...originFacts(detailed)].join(', ')],
    [detailed.createBeganAt, 'sent to the runs service'],
    [started, 'started'],
    [detailed.cancelAskedAt, `cancel requested by <@${detailed.cancelAskedBy}>`],
    [detailed.unfollowedAt, 'updates stopped'],
    [ended, `ended${tookMs === undefined ? '' : ` after ${durationText(tookMs)}`}`],
  ];
  return steps
    .flatMap(([at, what]) => (typeof at === 'number' ? [{ at, what }] : []))
    .sort((a, b) => a.at - b.at)
    .map(({ at, what }) => `${time(at)}: ${what}`);
}
