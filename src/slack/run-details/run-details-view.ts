/** *Details*: a modal with everything that is known of one run. */
import type { ActionsBlock, KnownBlock, ModalView, SectionBlock } from '@slack/types';
import { maskSecrets } from 'base/secrets/mask-secrets';
import { publishButton, pullRequestButtons } from '../runs/showing/buttons/publish-buttons.ts';
import {
  canBeCanceled,
  cancelButton,
  openSessionAction,
  revokeLinkButton,
  savePresetButton,
  viewChangesButton,
  viewPlanButton,
} from '../runs/showing/buttons/run-buttons.ts';
import { listArtifacts, patchOf, planOf } from '../runs/showing/run-artifacts.ts';
import { contextFacts, usageFacts } from '../runs/showing/run-facts.ts';
import { requestLabel, stateLabel } from '../runs/showing/run-label.ts';
import {
  answerOf,
  changesOf,
  changesText,
  failureMeaning,
  statusOf,
} from '../runs/showing/run-outcome.ts';
import { renderPullRequests } from '../runs/showing/run-pull-requests.ts';
import { actions, button, context, header, modal, section } from '../text/blocks.ts';
import { escapeText, safeUrl, shorten } from '../text/escape-text.ts';
import { failureSentence } from '../text/failure.ts';
import { codeBlock, codeBlocks, linkList, plainTexts } from '../text/rich-text.ts';
import { configurationFacts, type Fact } from './configuration-facts.ts';
import type { DetailedRun } from './detailed-run.ts';
import { timeline } from './timeline.ts';

/** A view takes 250 KB. This is enough for a thread, which has at most 20,000 characters. */
const textPieces = 7;
const artifactsShown = 40;
const pullRequestsShown = 10;
const valueLimit = 300;
const statusLimit = 2_900;

export const renderDetails = (detailed: DetailedRun, feedback: readonly Fact[] = []): ModalView =>
  detailsModal([
    header(detailed.title),
    ...renderState(detailed),
    ...renderResults(detailed),
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

/** Shown while the runs service is asked, because a trigger expires. `words` are mrkdwn. */
export const renderDetailsMessage = (words: string): ModalView => detailsModal([section(words)]);

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
  const words = [problem?.message, answer ? undefined : statusOf(run)].flatMap(
    (each) => each?.trim() || [],
  );
  return [
    section(`${label.sign} *${escapeText(label.word, 100)}*`),
    ...facts('Runs service', [
      ['Last known state', lastState !== label.word && lastState],
      ['Error code', status?.error_code],
      ['Tokens and cost', usageFacts(run).join(', ')],
    ]),
    ...(problem ? [section(failureSentence(problem.code, detailed.connectionId))] : []),
    ...(meaning ? [section(meaning)] : []),
    ...words.map((each) => codeBlock(each, statusLimit)),
    ...(answer ? [section('*Answer*'), ...plainTexts(answer, textPieces)] : []),
    ...(changes ? [section(`*Changes*\n${changesText(changes)}`)] : []),
  ];
}

function renderResults(detailed: DetailedRun): KnownBlock[] {
  const { run } = detailed;
  const { listed, left } = listArtifacts(run, artifactsShown);
  return [
    ...renderPullRequests(detailed, pullRequestsShown),
    ...(listed.length > 0 ? [section('*Results*'), linkList(listed)] : []),
    ...(left > 0 ? [context(`… ${left} more in the session`)] : []),
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
    ...('requestId' in ref && url ? [revokeLinkButton(ref.requestId)] : []),
  ];
  return buttons.length > 0 ? [actions(buttons)] : [];
}

/** One section of the known values; none when nothing is known. */
function facts(heading: string, all: readonly Fact[]): SectionBlock[] {
  const lines = all.flatMap(([name, value]) =>
    value
      ? [`${name}: ${escapeText(shorten(value.replace(/\s+/g, ' '), valueLimit), valueLimit)}`]
      : [],
  );
  return lines.length > 0 ? [section([`*${heading}*`, ...lines].join('\n'))] : [];
}
