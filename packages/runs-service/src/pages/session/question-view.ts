import { html } from 'hono/html';
import type { Question } from 'runs-client/contract';
import type { QuestionField } from 'runs-client/question-fields';
import { fieldPrefix } from '../../api/runs/answer-handler.ts';
import type { Markup } from '../page.ts';
import { timeView } from '../run-views.ts';
import type { Session } from './read-session.ts';
import type { Answerer } from './session-access.ts';

/**
 * Renders the open question with its form. The page's script replaces the form only when the question changes, so that
 * typed text isn't lost.
 */
export function questionView({ openQuestion, problem, creator, address }: Session): Markup {
  const target = { address, creator: creator ?? 'the person who started the run' };
  return html`<div id="question" data-question="${openQuestion?.question.id ?? ''}">
${problem ? html`<p class="reason" role="alert">${problem}</p>` : ''}
${openQuestion ? openView(openQuestion.question, answerView(openQuestion.question, openQuestion.answerer, target)) : ''}
</div>`;
}

function openView({ text, details, expires_at: expires }: Question, answer: Markup): Markup {
  return html`<section class="question"><h2>Needs input</h2><p dir="auto">${text}</p>
${details ? html`<pre class="prompt" dir="auto">${details}</pre>` : ''}
${answer}
${expires ? html`<p class="by">Expires ${timeView(expires)}</p>` : ''}</section>`;
}

type FormTarget = { address: string; creator: string };

function answerView(
  question: Question,
  answerer: Answerer,
  { address, creator }: FormTarget,
): Markup {
  if (question.kind === 'spend')
    return html`${labels(question)}<p class="none">Answer in Slack, or through the API.</p>`;
  if (answerer === 'unknown')
    return html`${labels(question)}<p><a href="${address}?sign-in=yes">Sign in to answer</a></p>`;
  if (answerer === 'denied')
    return html`${labels(question)}<p class="none">You can't answer for this run. Ask ${creator}.</p>`;
  const id = html`<input type="hidden" name="question_id" value="${question.id}">`;
  const fields = question.fields ?? [];
  if (fields.length > 0)
    return html`<form method="post" action="${address}">${id}${fields.map(fieldView)}<button>Send answer</button></form>`;
  const choices = question.options.map(
    (option) =>
      html`<button name="option_id" value="${option.id}" dir="auto">${option.label}</button> `,
  );
  return html`${choices.length > 0 ? html`<form method="post" action="${address}">${id}${choices}</form>` : ''}
${question.takes_text ? html`<form method="post" action="${address}">${id}${textField}</form>` : ''}`;
}

/** Renders a field of the form. The field is named by its position, because its real name comes from the agent. */
function fieldView(field: QuestionField, index: number): Markup {
  const { label, description, is_required: isRequired } = field;
  const name = fieldPrefix + index;
  return html`<p><label for="${name}" dir="auto">${label}${isRequired ? '' : ' (optional)'}</label>
${description ? html`<span class="by" dir="auto">${description}</span><br>` : ''}${inputView(field, name)}</p>`;
}

function inputView({ kind, options, is_required: isRequired }: QuestionField, name: string) {
  const needed = isRequired ? 'required' : '';
  const choices = kind === 'boolean' ? yesOrNo : (options ?? []);
  const offered = choices.map(({ id, label }) => html`<option value="${id}">${label}</option>`);
  if (kind === 'choices')
    return html`<select id="${name}" name="${name}" multiple ${needed}>${offered}</select>`;
  if (kind === 'choice' || kind === 'boolean')
    return html`<select id="${name}" name="${name}" ${needed}><option value=""></option>${offered}</select>`;
  if (kind === 'text')
    return html`<textarea id="${name}" name="${name}" rows="2" maxlength="20000" ${needed}></textarea>`;
  return html`<input id="${name}" name="${name}" inputmode="decimal" maxlength="100" ${needed}>`;
}

const yesOrNo = [
  { id: 'true', label: 'Yes' },
  { id: 'false', label: 'No' },
];

const textField = html`<label for="answer">Your answer</label>
<textarea id="answer" name="text" rows="3" maxlength="20000" required></textarea>
<button>Send answer</button>`;

const labels = ({ options, fields }: Question): Markup =>
  html`<ul>${[...options, ...(fields ?? [])].map(({ label }) => html`<li dir="auto">${label}</li>`)}</ul>`;
