/** Renders the card of an agent's question in the run's thread: the question, its details, and the choices. */
import type { ActionsBlock, Button, KnownBlock } from '@slack/types';
import { maskSecrets } from 'base/secrets/mask-secrets';
import { isLonger } from 'base/shorten';
import type { Question } from 'runs-client/contract';
import type { Answer } from '../../requests/answer.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { QuestionContent } from '../runs/run-question.ts';
import { closesAt, isAboutSpending, openQuestion } from '../runs/run-question.ts';
import { answerAction } from '../runs/showing/buttons/run-buttons.ts';
import { boldTitle, isStoppedAtCap, plainTitle } from '../runs/showing/run-label.ts';
import { button, context, fenced, plain, section } from '../text/blocks.ts';
import { hour, time } from '../text/dates.ts';
import { code, escapeText, firstLine, link } from '../text/escape-text.ts';
import { option, optionLimits } from '../text/form-inputs.ts';
import { fieldsOf, questionActions } from './question-form.ts';

export type QuestionMessage = { text: string; blocks: KnownBlock[] };

type Card = {
  postId: string;
  /** Text such as "Only Ada can answer", as mrkdwn without mentions. */
  who: string;
  /** True if the conversation doesn't show which run asks, such as a shared thread or direct messages. */
  hasTitle: boolean;
  request: RunRequest;
  content: QuestionContent;
  status: QuestionStatus;
  answer: Answer | undefined;
};

const questionLimit = 2_000;
const detailsLimit = 2_000;
const labelLimit = 300;
const lineLimit = 150;
const maxButtons = 5;

/** Renders the whole question while it's open, and one line after that. */
export function renderQuestion(card: Card): QuestionMessage {
  const { request, content, status } = card;
  const title = plainTitle(request.title);
  if (status !== 'open') {
    const more = isLongerThanLine(content.question) ? viewQuestionButton(card.postId) : undefined;
    return { text: `Question closed: ${title}`, blocks: [section(renderEnd(card), more)] };
  }
  const { question, names, groups = [] } = content;
  const people = names.map((id) => `<@${id}> `);
  const mentions = [...people, ...groups.map((id) => `<!subteam^${id}> `)].join('');
  const heading = card.hasTitle ? `${boldTitle(request.title)}: ` : '';
  const text = escapeText(question.text.trim(), questionLimit) || 'The agent needs input.';
  const blocks: KnownBlock[] = [
    section(`${mentions}✋ ${heading}${text}`),
    // Render the details as mrkdwn, because Slack rejects an update that removes a message's last rich text.
    ...(question.details ? [fenced(question.details, detailsLimit)] : []),
    ...longLabels(question),
    ...listFields(question),
    ...renderOpen(card),
  ];
  const line = escapeText(firstLine(question.text), labelLimit);
  return { text: `✋ Needs input: ${title}${line && ` · ${line}`}`, blocks };
}

/** Lists the fields of the form. */
function listFields(question: Question): KnownBlock[] {
  const labels = fieldsOf(question).map(({ label }) => escapeText(firstLine(label), 100));
  return labels.length === 0 ? [] : [context(`Fields: ${labels.join(' · ')}`)];
}

/** Renders long labels in full, because buttons cut them. No one should allow something that they can't read. */
function longLabels({ options }: Question): KnownBlock[] {
  if (!options.some(({ label }) => isLonger(label, optionLimits.text))) return [];
  const lines = options
    .slice(0, optionLimits.options)
    .map(
      ({ label }, index) => `${index + 1}. ${escapeText(label.replace(/\s+/g, ' '), labelLimit)}`,
    );
  return [section(lines.join('\n'))];
}

const shortTimeMs = 12 * 60 * 60_000;

function renderOpen(card: Card): KnownBlock[] {
  const { answer, who, request } = card;
  const { question } = card.content;
  const closes = closesAt(question);
  const asked = Date.parse(question.asked_at ?? '');
  const isSoon = closes !== undefined && closes - asked < shortTimeMs;
  const facts = [
    who,
    ...(closes === undefined ? [] : [`Open until ${isSoon ? hour(closes) : time(closes)}`]),
    ...(question.takes_text ? ['You can also reply with `@agent` and your answer'] : []),
    link(request.run?.session_link, 'Open session'),
  ];
  const controls = renderControls(card);
  return [
    ...(answer ? [section(renderProblem(answer))] : []),
    ...(controls.elements.length > 0 ? [controls] : []),
    context(facts.filter(Boolean).join('  ·  ')),
  ];
}

function renderControls({ postId, content: { question } }: Card): ActionsBlock {
  const { options, takes_text: takesText } = question;
  const isForm = fieldsOf(question).length > 0;
  const write = button(answerAction, options.length > 0 ? 'Write an answer' : 'Answer', {
    value: postId,
    ...(options.length === 0 && { style: 'primary' }),
  });
  return {
    type: 'actions',
    // Use the question's post ID, which Slack sends with a click.
    block_id: postId,
    elements: [
      ...(options.length <= maxButtons ? optionButtons(question) : [optionSelect(question)]),
      ...(takesText || isForm ? [write] : []),
      ...(!takesText && !isForm && isCut(question) ? [viewQuestionButton(postId)] : []),
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

/**
 * Renders a menu if there are too many options for buttons. Options beyond Slack's limit are only on the session page.
 */
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

/** Returns true if one line can't show everything that was asked. */
const isLongerThanLine = ({ text, details }: Question): boolean =>
  [text, details ?? ''].some((each) => each.trim().includes('\n') || isLonger(each, lineLimit));

const viewQuestionButton = (postId: string): Button =>
  button(answerAction, 'View question', { value: postId });

const answerText = ({ given }: Answer) => escapeText(maskSecrets(given.text).text, labelLimit);

function renderProblem(answer: Answer): string {
  const who = `<@${answer.answeredBy}>`;
  switch (answer.outcome) {
    case 'not_offered':
      return `⚠️ ${who} answered, but this runs service only accepts answers in the session.`;
    case 'rejected': {
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

/** Returns the first line of what was asked: the command, or else the question. */
function askedLine({ text, details }: Question): string {
  const command = firstLine(details ?? '');
  return command ? code(command, lineLimit) : escapeText(firstLine(text), lineLimit);
}

function renderEnd({ content: { question }, status, answer }: Card): string {
  const line = askedLine(question);
  const about = line && `: ${line}`;
  if (answer && status === 'answered') return renderAnswered(question, answer, about);
  if (answer && status === 'sending') {
    const to = isAboutSpending(question) ? '' : ' to the agent';
    return `⏳ Sending <@${answer.answeredBy}>'s answer${to}: *${answerText(answer)}*`;
  }
  if (answer && status === 'late')
    return `⚠️ The question closed before <@${answer.answeredBy}>'s answer arrived: *${answerText(answer)}*`;
  switch (status) {
    case 'closing':
    case 'expired':
      if (isAboutSpending(question))
        return status === 'closing'
          ? `⌛ Time to answer is over${about}`
          : `⌛ No one answered in time, so the run stops here${about}`;
      return isPermission(question)
        ? `⌛ No one answered in time, so this was denied${about}. The agent continues without it.`
        : `⌛ No one answered in time${about}. The agent continues without an answer.`;
    case 'elsewhere':
      return `☑️ Answered or closed outside Slack${about}`;
    default:
      return `☑️ Closed because the run has ended${about}`;
  }
}

/** Returns one line with the decision, who made it, and when. */
function renderAnswered(question: Question, answer: Answer, about: string): string {
  const { answeredBy, answeredAt, given } = answer;
  const who = `<@${answeredBy}>`;
  const kind = question.options.find(({ id }) => id === given.optionId)?.kind ?? '';
  if (isAboutSpending(question))
    return `${spendDecision(answer, kind)}, ${time(answeredAt)}${about}`;
  const decision = decisions[kind];
  if (decision) return `${decision} by ${who}, ${time(answeredAt)}${about}`;
  const asked = escapeText(firstLine(question.text), lineLimit);
  const parts = [`✅ Answered by ${who}, ${time(answeredAt)}: *${answerText(answer)}*`, asked];
  return parts.filter(Boolean).join('  ·  ');
}

/** Returns who allowed how much more, or who stopped the run. */
function spendDecision(answer: Answer, kind: string): string {
  const who = `<@${answer.answeredBy}>`;
  if (kind.startsWith('reject')) return `⏹️ Stopped by ${who}`;
  const [, amount] = /^Allow (\$[\d.,]+) more$/.exec(answer.given.text) ?? [];
  return `✅ ${amount ? `${amount} more allowed` : answerText(answer)} by ${who}`;
}

const decisions: Partial<Record<string, string>> = {
  allow_once: '✅ Allowed once',
  allow_always: '✅ Allowed for the rest of the run',
  reject_once: '🚫 Denied',
  reject_always: '🚫 Denied for the rest of the run',
};

/**
 * Status of a question. `sending` means that the runs service doesn't have the answer yet. `closing` means that time is
 * up, but the run doesn't show that yet. `elsewhere` means that it was answered outside Slack, and `over` that the run
 * has ended.
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
  { postId, content, request, answer }: Omit<Card, 'status' | 'who' | 'hasTitle'>,
  now: number,
): QuestionStatus {
  if (answer?.outcome === 'accepted') return 'answered';
  if (answer?.outcome === 'late') return 'late';
  if (answer?.outcome === null) return 'sending';
  if (content.closed) return content.closed;
  const closes = closesAt(content.question);
  const isLate = closes !== undefined && now >= closes;
  if (openQuestion(request)?.postId === postId) return isLate ? 'closing' : 'open';
  if (isLate && isAboutSpending(content.question)) {
    // Someone may have allowed more or canceled the run while the app wasn't running, so only the end says what happened.
    if (isStoppedAtCap(request.run)) return 'expired';
    return request.step === 'following' ? 'closing' : 'over';
  }
  if (request.step !== 'following') return 'over';
  return isLate ? 'expired' : 'elsewhere';
}
