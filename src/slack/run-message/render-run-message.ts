import type { Button, KnownBlock } from '@slack/types';
import type { RunRequest } from '../../store/request-row.ts';
import {
  actions,
  button,
  codeBlock,
  context,
  escapeText,
  header,
  limits,
  quote,
  safeUrl,
  section,
  shorten,
  time,
} from '../blocks.ts';
import { failureSentence } from '../failure.ts';
import { requestLabel } from '../run-state.ts';

export const openSessionAction = 'run-message:open-session';
export const tryAgainAction = 'run-message:try-again';

/** All blocks of a message together stay far below the 12,000 characters that Slack takes. */
const promptLimit = 1_500;
const detailLimit = 1_500;
const idLimit = 100;
/** One failed look is noise; the message speaks up from the second on. */
const failuresBeforeSaying = 2;

export type RunMessage = { text: string; blocks: KnownBlock[] };

/** The run message: everything that it shows comes from the stored request, so equal requests give equal messages. */
export function renderRunMessage(request: RunRequest): RunMessage {
  const label = requestLabel(request);
  const buttons = renderButtons(request);
  const blocks: KnownBlock[] = [
    header(request.title),
    section(`${label.sign} *${escapeText(label.word, idLimit)}*`),
    // Always there: Slack refuses an update that takes the last rich text out of a message (block_mismatch).
    quote(request.prompt, promptLimit),
    ...renderTrouble(request),
    context(renderFacts(request).join('  ·  ')),
    ...(buttons.length > 0 ? [actions(buttons)] : []),
  ];
  return {
    text: escapeText(`${label.word}: ${shorten(request.title, 200)}`, limits.messageText),
    blocks,
  };
}

function renderFacts(request: RunRequest): string[] {
  const { config, run } = request;
  const environment = run?.agent_config?.environment_id ?? config.environment_id;
  const model = run?.agent_config?.model_id ?? config.model_id;
  const facts: [name: string, value: string | undefined][] = [
    ['environment', environment],
    ['model', model],
    ['skill', config.skill_spec],
    ['name', run?.agent_config?.name ?? config.name],
  ];
  return [
    `<@${request.creatorId}>`,
    ...facts.flatMap(([name, value]) => (value ? [`${name} ${escapeText(value, idLimit)}`] : [])),
    `asked ${time(request.acceptedAt)}`,
    ...(request.endedAt ? [`ended ${time(request.endedAt)}`] : []),
  ];
}

function renderTrouble(request: RunRequest): KnownBlock[] {
  const { problem, run } = request;
  const status = run?.status_message?.message;
  if (problem && request.step === 'following') {
    if (request.failures < failuresBeforeSaying) return [];
    const since = `Nothing heard since ${time(problem.since)}; the run itself may go on. Still asking.`;
    return [section(`⚠️ ${failureSentence(problem.code)} ${since}`)];
  }
  if (problem) {
    const detail = problem.message ? [codeBlock(problem.message, detailLimit)] : [];
    return [section(failureSentence(problem.code)), ...detail];
  }
  return status ? [codeBlock(status, detailLimit)] : [];
}

function renderButtons(request: RunRequest): Button[] {
  const url = safeUrl(request.run?.session_link);
  return [
    ...(url ? [button(openSessionAction, 'Open session', { url })] : []),
    ...(request.step === 'not_started'
      ? [button(tryAgainAction, 'Try again', { value: request.id, style: 'primary' })]
      : []),
  ];
}
