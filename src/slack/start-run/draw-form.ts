import type { WebClient } from '@slack/web-api';
import type { Draft, Drafts } from '../../store/drafts.ts';
import { readSlackTrouble } from '../posting/slack-trouble.ts';
import { messagesWords } from '../runs/prompt-context.ts';
import type { FormContent } from './form-content.ts';
import { renderStartRunForm } from './start-run-form.ts';

type OpenView = { id: string; hash: string };

/**
 * Draws an open form anew. Two may want to at the same time: what was learnt meanwhile, and *More options*. Both keep
 * in the draft what they bring before they draw; whoever finds the form changed draws it with both. What was typed
 * stays, because Slack keeps what stands in inputs of the same ids.
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
      const { reason } = readSlackTrouble(error);
      // The person has closed it meanwhile.
      if (reason !== 'hash_conflict' && reason !== 'not_found') throw error;
      return reason;
    }
  }
}

function withDraft(content: FormContent, draft: Draft & { isWhole: boolean }): FormContent {
  const { metadata } = content;
  return {
    ...content,
    metadata: { ...metadata, isWhole: metadata.isWhole || draft.isWhole },
    notices: draft.notices,
    restLength: [...draft.rest].length,
    threadTick: threadTickOf(draft),
    names: new Map([...(content.names ?? []), ...Object.entries(draft.names)]),
  };
}

export function threadTickOf({
  context,
  messages,
  left,
  isWanted,
}: Draft): FormContent['threadTick'] {
  if (!context) return undefined;
  const size = [...context].length.toLocaleString('en');
  const text = `Send the thread too: ${messagesWords({ messages, left })}, ${size} characters`;
  return { text, isTicked: isWanted };
}
