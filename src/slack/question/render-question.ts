/** The card in the run's thread: the agent's question, its details, and buttons for the answer. */
import type { ActionsBlock, Button, KnownBlock } from '@slack/types';
import { maskSecrets } from 'base/secrets/mask-secrets';
import { isLonger } from 'base/shorten';
import type { Question } from 'runs-client/contract';
import type { Answer } from '../../requests/answer.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { QuestionContent } from '../runs/run-question.ts';
import { closesAt, openQuestion } from '../runs/run-question.ts';
import { answerAction, openSessionAction } from '../runs/showing/buttons/run-buttons.ts';
import { boldTitle } from '../runs/showing/run-label.ts';
import { button, context, plain, section } from '../text/blocks.ts';
import { time } from '../text/dates.ts';
import { escapeText, firstLine, safeUrl } from '../text/escape-text.ts';
import { option, optionLimits } from '../text/form-inputs.ts';
import { codeBlock } from '../text/rich-text.ts';
import { fieldsOf, questionActions } from './question-form.ts';

export type QuestionMessage = { text: string; blocks: KnownBlock[] };

type Card = {
  postId: string;
  request: RunRequest;
  content: QuestionContent;
  status: QuestionStatus;
  answer: Answer | undefined;
};

const questionLimit = 2_000;
const detailsLimit = 2_000;
const labelLimit = 300;
const maxButtons = 5;

export function renderQuestion(card: Card): QuestionMessage {
  const { request, content, status } = card;
  const { question, names } = content;
  const mentions = names.map((id) => `<@${id}> `).join('');
  const text = question.text.trim();
  const opening = `${mentions}✋ ${boldTitle(request.title)} ${status === 'open' ? 'needs' : 'needed'} input.`;
  const blocks: KnownBlock[] = [
    section(opening),
    ...(text ? [section(escapeText(text, questionLimit))] : []),
    ...(question.details ? [codeBlock(question.details, detailsLimit)] : []),
    ...longLabels(question),
    ...listFields(question),
    ...(status === 'open' ? renderOpen(card) : [section(renderEnd(card)), ...showAll(card)]),
  ];
  return { text: notification(card, opening), blocks };
}

/** Text for notifications, and for people who can't see blocks. */
function notification({ request, content, status }: Card, opening: string): string {
  const line = escapeText(firstLine(content.question.text), 300);
  if (status === 'open') return `${opening}${line ? ` ${line}` : ''}`;
  return `Question closed: ${boldTitle(request.title)}`;
}

/** Lists the fields of the form. */
function listFields(question: Question): KnownBlock[] {
  const labels = fieldsOf(question).map(({ label }) => escapeText(firstLine(label), 100));
  return labels.length === 0 ? [] : [context(`Asks for: ${labels.join(' · ')}`)];
}

/** Lists long labels in full. Buttons cut them, and no one should allow something that they can't read. */
function longLabels({ options }: Question): KnownBlock[] {
  if (!options.some(({ label }) => isLonger(label, optionLimits.text))) return [];
  const lines = options
    .slice(0, optionLimits.options)
    .map(
      ({ label }, index) => `${index + 1}. ${escapeText(label.replace(/\s+/g, ' '), labelLimit)}`,
    );
  return [section(lines.join('\n'))];
}

function renderOpen(card: Card): KnownBlock[] {
  const { answer } = card;
  const { question } = card.content;
  const closes = closesAt(question);
  const hints = [
    // A mention would notify the creator of a post that should be quiet.
    `${whoAnswers(card)} can answer, and so can people allowed by a rule.`,
    ...(question.takes_text ? ['Mention the app in this thread to answer with a message.'] : []),
    ...(closes === undefined ? [] : [`Open until ${time(closes)}.`]),
  ];
  return [
    ...(answer ? [section(renderProblem(answer))] : []),
    renderControls(card),
    context(hints.join(' ')),
  ];
}

function whoAnswers({ request: { origin } }: Card): string {
  const creator = 'The creator of the run';
  if (origin?.kind !== 'workflow') return creator;
  return origin.workflow?.hasPerson ? `${creator} and workspace admins` : 'Workspace admins';
}

function renderControls({ postId, request, content: { question } }: Card): ActionsBlock {
  const { options, takes_text: takesText } = question;
  const isForm = fieldsOf(question).length > 0;
  const url = safeUrl(request.run?.session_link);
  const write = button(answerAction, options.length > 0 ? 'Write an answer' : 'Answer', {
    value: postId,
    ...(options.length === 0 && { style: 'primary' }),
  });
  return {
    type: 'actions',
    // Clicks carry this ID back.
    block_id: postId,
    elements: [
      ...(options.length <= maxButtons ? optionButtons(question) : [optionSelect(question)]),
      ...(takesText || isForm ? [write] : []),
      ...(!takesText && !isForm && isCut(question) ? [showAllButton(postId)] : []),
      ...(url ? [button(openSessionAction, 'Open session', { url })] : []),
    ],
  };
}

function optionButtons({ options }: Question): Button[] {
  const first = options.findIndex(({ kind }) => kind?.startsWith('allow'));
  return options.map(({ label, kind }, index) =>
    button(`${questionActions.option}${index}`, label, {
      ...(index === first && { style: 'primary' }),
      ...(kind?.startsWith('reject') && { style: 'danger' }),
    }),
  );
}

/** The session page has the options that exceed Slack's limit. */
const optionSelect = ({ options }: Question): ActionsBlock['elements'][number] => ({
  type: 'static_select',
  action_id: questionActions.pick,
  placeholder: plain('Choose an answer', 150),
  options: options
    .slice(0, optionLimits.options)
    .map(({ label }, index) => option(label, String(index))),
});

const isCut = ({ text, details }: Question): boolean =>
  isLonger(text, questionLimit) || isLonger(details ?? '', detailsLimit);

const showAllButton = (postId: string): Button =>
  button(answerAction, 'Show all', { value: postId });

const showAll = ({ postId, content: { question } }: Card): ActionsBlock[] =>
  isCut(question) ? [{ type: 'actions', elements: [showAllButton(postId)] }] : [];

const answerText = ({ given }: Answer) => escapeText(maskSecrets(given.text).text, labelLimit);

function renderProblem(answer: Answer): string {
  const who = `<@${answer.answeredBy}>`;
  switch (answer.outcome) {
    case 'not_offered':
      return `⚠️ ${who} answered, but this runs service only accepts answers on the session page.`;
    case 'refused': {
      const reason = escapeText(firstLine(answer.problem ?? ''), labelLimit);
      return `⚠️ The runs service rejected ${who}'s answer${reason ? `: ${reason}` : '.'}`;
    }
    default:
      return `⚠️ ${who}'s answer may not have reached the agent. Check the session, or answer again.`;
  }
}

/** Returns true for a question that lets the agent do something. */
const isPermission = ({ options }: Question): boolean =>
  options.some(({ kind }) => kind?.startsWith('allow'));

function renderEnd({ content, status, answer }: Card): string {
  if (answer && ['answered', 'sending', 'late'].includes(status)) {
    const line = `<@${answer.answeredBy}> answered ${time(answer.answeredAt)}: *${answerText(answer)}*`;
    if (status === 'sending') return `⏳ ${line}\nSending the answer to the agent.`;
    return status === 'late' ? `⚠️ ${line}\nThe question was already closed.` : `✅ ${line}`;
  }
  switch (status) {
    case 'closing':
    case 'expired':
      return isPermission(content.question)
        ? '⌛ No one answered in time, so this was denied. The agent continues without it.'
        : '⌛ No one answered in time. The agent continues without an answer.';
    case 'elsewhere':
      return '☑️ This question was answered or closed outside of Slack.';
    default:
      return '☑️ This question is closed, because the run has ended.';
  }
}

/**
 * `sending`: the service doesn't have the answer yet. `closing`: time is up, but the run doesn't show that yet.
 * `elsewhere`: it was answered outside of Slack. `over`: the run has ended.
 */
export type QuestionStatus =
  | 'open'
  | 'sending'
  | 'answered'
  | 'late'
  | 'closing'
  | 'expired'
  | 'elsewhere'
  | 'over';

export function questionStatus(
  { postId, content, request, answer }: Omit<Card, 'status'>,
  now: number,
): QuestionStatus {
  if (answer?.outcome === 'accepted') return 'answered';
  if (answer?.outcome === 'late') return 'late';
  if (answer?.outcome === null) return 'sending';
  if (content.closed) return content.closed;
  const closes = closesAt(content.question);
  const isLate = closes !== undefined && now >= closes;
  if (openQuestion(request)?.postId === postId) return isLate ? 'closing' : 'open';
  if (request.step !== 'following') return 'over';
  return isLate ? 'expired' : 'elsewhere';
}
