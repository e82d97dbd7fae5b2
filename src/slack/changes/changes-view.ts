/** Renders *View changes*, a modal with the changed files and the diff in pages. */
import type { Button, KnownBlock, ModalView } from '@slack/types';
import type { Run } from 'runs-client/contract';
import { z } from 'zod';
import { readViewMetadata } from '../posting/modals.ts';
import { runRefSchema } from '../runs/run-ref.ts';
import { openSessionAction } from '../runs/showing/buttons/run-buttons.ts';
import { changesLine, changesOf } from '../runs/showing/run-outcome.ts';
import { actions, button, context, modal, section } from '../text/blocks.ts';
import { time } from '../text/dates.ts';
import { safeUrl } from '../text/escape-text.ts';
import { fileLine, paginate } from './changes-pages.ts';
import type { ReadChanges } from './read-changes.ts';

export const changesActions = {
  previous: 'changes:previous',
  next: 'changes:next',
  download: 'changes:download',
} as const;

const metadataSchema = z.object({
  ref: runRefSchema,
  page: z.number(),
  conversationId: z.string().optional(),
});
/**
 * Page and run that the modal shows. `page` starts at 0. `conversationId` is the conversation in which a member opened
 * the modal.
 */
export type ChangesPlace = z.infer<typeof metadataSchema>;

export const readChangesPlace = (view: { private_metadata: string }): ChangesPlace =>
  readViewMetadata(metadataSchema, view);

/**
 * Renders the modal with a text instead of changes.
 * @param text trusted mrkdwn, never user input
 */
export const renderChangesMessage = (text: string): ModalView => changesModal([section(text)]);

const filesListed = 30;

export function renderChanges(
  { page, ...place }: ChangesPlace,
  run: Run,
  { files, isLonger, download }: ReadChanges,
): ModalView {
  const { pages, isCut } = paginate(files);
  const at = Math.min(Math.max(0, page), pages.length - 1);
  const isPart = isCut || isLonger;
  const buttons = [
    ...(at > 0 ? [button(changesActions.previous, '← Previous')] : []),
    ...(at < pages.length - 1 ? [button(changesActions.next, 'Next →')] : []),
    ...linkButton(changesActions.download, 'Download patch', download?.url),
    ...linkButton(openSessionAction, 'Open session', run.session_link),
  ];
  const notes = [
    ...(pages.length > 1 ? [`Page ${at + 1} of ${pages.length}.`] : []),
    ...(isPart ? ['Only the first 100 KB are shown. Open the session to see everything.'] : []),
    ...(download?.until ? [`The download link works until ${time(download.until)}.`] : []),
  ];
  return changesModal(
    [
      ...(at === 0 ? renderFiles(run, files, isLonger) : []),
      ...(pages[at] ?? []),
      ...(notes.length > 0 ? [context(notes.join(' '))] : []),
      ...(buttons.length > 0 ? [actions(buttons)] : []),
    ],
    { ...place, page: at },
  );
}

function renderFiles(run: Run, files: ReadChanges['files'], isLonger: boolean): KnownBlock[] {
  const known = changesOf(run) ?? {
    files: files.length,
    insertions: files.reduce((sum, { added }) => sum + added, 0),
    deletions: files.reduce((sum, { removed }) => sum + removed, 0),
  };
  const listed = files.slice(0, filesListed);
  const more = Math.max(known.files, files.length) - listed.length;
  return [
    section(`*${changesLine(known)}*`),
    ...inSections(listed.map((file) => `•  ${fileLine(file)}`)),
    ...(more > 0 || isLonger ? [context(more > 0 ? `… ${more} more files` : '… and more')] : []),
    { type: 'divider' },
  ];
}

/** Returns sections of ten lines, because a path can have 200 characters and a section 3,000. */
function inSections(lines: readonly string[]): KnownBlock[] {
  const perSection = 10;
  return lines.flatMap((_, index) =>
    index % perSection === 0 ? [section(lines.slice(index, index + perSection).join('\n'))] : [],
  );
}

function linkButton(actionId: string, label: string, address: string | null | undefined): Button[] {
  const url = safeUrl(address);
  return url ? [button(actionId, label, { url })] : [];
}

const changesModal = (blocks: KnownBlock[], metadata?: ChangesPlace): ModalView =>
  modal({ callbackId: 'changes', title: 'Changes', ...(metadata && { metadata }), blocks });
