import type { Question } from 'runs-client/contract';
import type { Answer } from '../../../src/requests/answer.ts';
import { ownAuthority } from '../../../src/requests/authority.ts';
import { renderForm, renderToRead } from '../../../src/slack/question/question-form.ts';
import {
  type QuestionStatus,
  renderQuestion,
} from '../../../src/slack/question/render-question.ts';
import { answeredBefore } from '../../../src/slack/runs/acting/answer-question.ts';
import { openQuestion } from '../../../src/slack/runs/run-question.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import { aRequest, aRun } from '../../support/builders.ts';
import { question, spendQuestion } from './a-question.ts';

const asking = (asked: Partial<Question> = {}) =>
  aRequest({
    run: aRun({
      state: 'BLOCKED',
      session_link: 'https://runs.example.com/session/4f1c',
      agent_progress: { question: { ...question, ...asked } },
    }),
  });

const answer: Answer = {
  id: 'T1-V1 question q1',
  teamId: 'T1',
  requestId: 'T1-V1',
  answeredBy: 'U04GRACEHOP',
  authority: ownAuthority('U04GRACEHOP'),
  answeredAt: Date.parse('2026-11-01T12:10:00Z'),
  given: { questionId: 'q1', optionId: 'once', text: 'Allow once' },
  beganAt: null,
  retryAt: null,
  outcome: 'accepted',
  problem: null,
};

const options = ['main', 'next', 'release-3', 'release-2', 'release-1', 'legacy'].map((label) => ({
  id: label,
  label,
  kind: 'choice',
}));
const which = asking({ text: 'Which branch?', details: null, options, takes_text: true });
const inWords = asking({
  text: 'What should it be called?',
  details: null,
  options: [],
  takes_text: true,
});

const form = asking({
  text: 'How should it be deployed?',
  details: null,
  options: [],
  takes_text: false,
  fields: [
    {
      name: 'where',
      label: 'Where',
      kind: 'choice',
      is_required: true,
      description: 'The region of most customers is Frankfurt.',
      options: ['Frankfurt', 'Dublin', 'Ohio'].map((label) => ({ id: label, label })),
    },
    { name: 'count', label: 'Replicas', kind: 'integer', is_required: true, minimum: 1 },
    { name: 'migrate', label: 'Run migrations', kind: 'boolean' },
    {
      name: 'notify',
      label: 'Notify',
      kind: 'choices',
      options: ['Support', 'Sales'].map((label) => ({ id: label, label })),
    },
    { name: 'note', label: 'Note for the log', kind: 'text' },
  ],
});

const shownOf = (request: RunRequest) => {
  const open = openQuestion(request);
  if (!open) throw new Error('nothing is asked');
  return open;
};

const spending = asking(spendQuestion);
const decided = (optionId: string, text: string): Answer => ({
  ...answer,
  given: { questionId: 'q2', optionId, text, isAboutSpending: true },
});

const card = (
  request: RunRequest,
  status: QuestionStatus,
  given?: Answer,
  { who = 'Only Ada Lovelace can answer', groups }: { who?: string; groups?: string[] } = {},
) => {
  const { postId, question } = shownOf(request);
  const content = { question, names: ['U04ADALOVEL'], ...(groups && { groups }) };
  return renderQuestion({
    postId,
    who,
    hasTitle: false,
    request,
    content,
    status,
    answer: given,
  });
};

/** A question in a thread, in every state. */
export const questionCards = [
  ['to allow a command', card(asking(), 'open')],
  ['with many options', card(which, 'open')],
  ['in words', card(inWords, 'open')],
  ['with a form', card(form, 'open')],
  ['being answered', card(asking(), 'sending', { ...answer, outcome: null })],
  ['answered', card(asking(), 'answered', answer)],
  ['answered too late', card(asking(), 'late', { ...answer, outcome: 'late' })],
  [
    'rejected',
    card(asking(), 'open', { ...answer, outcome: 'rejected', problem: 'The key is read-only.' }),
  ],
  ['not taken from here', card(asking(), 'open', { ...answer, outcome: 'not_offered' })],
  ['of an unclear answer', card(asking(), 'open', { ...answer, outcome: 'unclear' })],
  ['without an answer', card(asking(), 'expired')],
  ['answered elsewhere', card(asking(), 'elsewhere')],
  ['of a run that has ended', card(asking(), 'over')],
  [
    'about spending',
    card(spending, 'open', undefined, {
      who: 'Workspace admins and people in the rule "Platform team" can answer',
      groups: ['S04ONCALL01'],
    }),
  ],
  ['about spending, allowed', card(spending, 'answered', decided('allow', 'Allow $5.00 more'))],
  ['about spending, stopped', card(spending, 'answered', decided('stop', 'Stop here'))],
  [
    'about spending, being answered',
    card(spending, 'sending', decided('allow', 'Allow $5.00 more')),
  ],
  ['about spending, without an answer', card(spending, 'expired')],
] as const;

const subject = { postId: answer.id };
const asked = (request: RunRequest) => shownOf(request).question;
const denial = '🔒 Only <@U04ADALOVEL>, who started this run, can answer.';

export const questionForms = [
  ['to allow a command', renderForm(subject, asked(asking()))],
  ['with options and text', renderForm(subject, asked(which))],
  ['with several fields', renderForm(subject, asked(form))],
  ['for people who may not answer', renderToRead(asked(asking()), denial)],
  ['answered before', renderToRead(asked(asking()), answeredBefore(answer))],
] as const;
