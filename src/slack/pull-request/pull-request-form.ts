/** Renders and reads the form for a pull request. */
import type { ModalView } from '@slack/types';
import { type PublishRunRequest, publishRunRequestSchema } from 'runs-client/publication';
import { z } from 'zod';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { readViewMetadata } from '../posting/modals.ts';
import { answerOf } from '../runs/showing/run-outcome.ts';
import { modal, textInput } from '../text/blocks.ts';
import { limits } from '../text/escape-text.ts';
import { type FormState, readFormValue, selectInput } from '../text/form-inputs.ts';

export const pullRequestView = 'pull-request:submit';

const metadataSchema = z.object({ requestId: z.string(), conversationId: z.string().optional() });
/** Request that the form is for. `conversationId` is the conversation where a member opened the form. */
export type FormSubject = z.infer<typeof metadataSchema>;

export const readSubject = (view: { private_metadata: string }): FormSubject =>
  readViewMetadata(metadataSchema, view);

const draftChoices = [
  { value: 'environment', text: 'Environment default' },
  { value: 'draft', text: 'Draft' },
  { value: 'ready', text: 'Ready for review' },
];

export function renderForm(subject: FormSubject, request: RunRequest): ModalView {
  const answer = answerOf(request.run) ?? '';
  // Leave out an answer that is too long for the form, because the runs service fills it in.
  const body = [...answer].length <= limits.inputValue ? answer : '';
  const field = (blockId: string, label: string, more: Partial<Parameters<typeof textInput>[0]>) =>
    textInput({ blockId, label, optional: true, ...more });
  return modal({
    callbackId: pullRequestView,
    metadata: subject,
    title: 'Create pull request',
    submit: 'Create',
    blocks: [
      field('title', 'Title', { value: request.title, maxLength: 256 }),
      field('body', 'Description', {
        value: body,
        multiline: true,
        hint: "If empty: the environment's template, or the agent's full answer if there's no template.",
      }),
      selectInput({
        blockId: 'draft',
        label: 'Create as',
        choices: draftChoices,
        value: 'environment',
      }),
      field('reviewers', 'Reviewers', {
        hint: 'GitHub or GitLab usernames, separated by commas.',
      }),
      field('base', 'Base branch', {
        hint: "Default: the environment's base branch.",
        maxLength: 250,
      }),
    ],
  });
}

/** Reads the form. Empty fields stay undefined, so that the environment's values apply. */
export function readForm(state: FormState): { request: PublishRunRequest } | { errors: Errors } {
  const text = (blockId: string) => readFormValue(state, blockId) || undefined;
  const reviewers = text('reviewers')
    ?.split(/[\s,]+/)
    .flatMap(withoutAt);
  const draft = readFormValue(state, 'draft');
  const { data, error } = publishRunRequestSchema.safeParse({
    title: text('title'),
    body: text('body'),
    reviewers: reviewers && reviewers.length > 0 ? [...new Set(reviewers)] : undefined,
    base: text('base'),
    draft: draft === 'draft' ? true : draft === 'ready' ? false : undefined,
  });
  if (data) return { request: data };
  const fields = error.issues.map(({ path }) => String(path[0]));
  return { errors: Object.fromEntries(fields.map((name) => [name, problems[name] ?? tooLong])) };
}

type Errors = Record<string, string>;

/** Drops the `@` that people type before a name. */
const withoutAt = (name: string): string[] => {
  const bare = name.replace(/^@/, '');
  return bare ? [bare] : [];
};

const tooLong = 'This is too long. Shorten it.';
const problems: Errors = { reviewers: 'Enter at most 15 names of 100 characters.' };
