import type { WebClient } from '@slack/web-api';
import type { Draft, Drafts } from '../../store/people/drafts.ts';
import { countFiles, describeFiles } from '../files/message-files.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { describeMessageCount } from '../runs/reading/prompt-context.ts';
import type { FormContent } from './form-content.ts';
import { renderStartRunForm } from './start-run-form.ts';

type OpenView = { id: string; hash: string };

/**
 * Redraws an open form. Late data and *More options* can do that at the same time: both write to the draft first, and
 * the one that finds the form changed draws it again with both. Typed text stays, because Slack keeps the values of
 * inputs with the same ids.
 */
export async function redrawForm(
  drafts: Pick<Drafts, 'read'>,
  client: WebClient,
  { id, hash }: OpenView,
  content: FormContent,
): Promise<void> {
  if ((await draw({ view_id: id, hash })) !== 'hash_conflict') return;
  await draw({ view_id: id });

  async function draw(view: { view_id: string; hash?: string }): Promise<string> {
    const draft = await drafts.read(content.metadata.draftId);
    const shown = draft ? withDraft(content, draft) : content;
    try {
      await client.views.update({ ...view, view: renderStartRunForm(shown) });
      return 'drawn';
    } catch (error) {
      const { reason } = readSlackFailure(error);
      // not_found: the person has closed the form.
      if (reason !== 'hash_conflict' && reason !== 'not_found') throw error;
      return reason;
    }
  }
}

function withDraft(content: FormContent, draft: Draft & { isWhole: boolean }): FormContent {
  const { metadata } = content;
  return {
    ...content,
    metadata: { ...metadata, isExpanded: metadata.isExpanded || draft.isWhole },
    notices: draft.notices,
    environmentWarning: draft.environmentWarning,
    restLength: [...draft.rest].length,
    threadCheckbox: threadCheckboxOf(draft),
    filesText: filesTextOf(draft),
    names: new Map([...(content.names ?? []), ...Object.entries(draft.names)]),
  };
}

export function threadCheckboxOf({
  context,
  messages,
  left,
  threadFiles = [],
  isWanted,
}: Draft): FormContent['threadCheckbox'] {
  if (!context) return undefined;
  const size = [...context].length.toLocaleString('en');
  const files = threadFiles.length > 0 ? `, ${countFiles(threadFiles.length)}` : '';
  const text = `Send the thread too (${describeMessageCount({ messages, left })}, ${size} characters${files})`;
  return { text, isChecked: isWanted };
}

export const filesTextOf = ({ files = [] }: Draft): FormContent['filesText'] =>
  files.length > 0 ? `Send ${describeFiles(files)} too` : undefined;
