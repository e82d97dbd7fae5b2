/** *Details*: a modal of three pages. Renders the pages and reads the tabs. */
import type { ActionsBlock, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { RunRequest } from '../../store/requests/request-row.ts';
import {
  cancelButton,
  mayBeCanceled,
  openSessionAction,
  revokeLinkButton,
  savePresetButton,
} from '../runs/run-buttons.ts';
import { type RunRef, runRefSchema } from '../runs/run-ref.ts';
import { maskSecrets, shownText } from '../secrets/mask-secrets.ts';
import { withoutSecrets } from '../secrets/without-secrets.ts';
import {
  actions,
  button,
  codeBlocks,
  context,
  header,
  plain,
  safeUrl,
  section,
} from '../text/blocks.ts';
import type { DetailedRun } from './detailed-run.ts';
import { renderOverview } from './run-overview.ts';

const detailsTitle = 'Run details';
export const detailsPageAction = /^run-details:page:/;

const pages = { overview: 'Overview', prompt: 'Prompt', raw: 'Raw' } as const;
const pageSchema = z.enum(['overview', 'prompt', 'raw']);
export type DetailsPage = z.infer<typeof pageSchema>;

/** A view takes 250 KB. */
const promptPieces = 10;
const rawPieces = 6;

/** `earlier`: the runs that this one repeats, the last first. */
export function renderDetails(
  detailed: DetailedRun,
  page: DetailsPage,
  earlier: readonly RunRequest[] = [],
): ModalView {
  const buttons = renderActions(detailed);
  return {
    type: 'modal',
    callback_id: 'run-details',
    private_metadata: JSON.stringify(detailed.ref),
    title: plain(detailsTitle, 24),
    close: plain('Close', 24),
    blocks: [
      header(detailed.title),
      renderTabs(page),
      ...renderPage(detailed, page, earlier),
      ...buttons,
    ],
  };
}

/** Shown while the runs service is asked, because a trigger expires. `words` are mrkdwn. */
export function renderDetailsMessage(words: string): ModalView {
  return {
    type: 'modal',
    callback_id: 'run-details',
    title: plain(detailsTitle, 24),
    close: plain('Close', 24),
    blocks: [section(words)],
  };
}

/** The page behind a tab, and its run; undefined for another view. */
export function readDetailsTab(
  metadata: string,
  value: string | undefined,
): { ref: RunRef; page: DetailsPage } | undefined {
  const ref = runRefSchema.safeParse(JSON.parse(metadata || '{}'));
  const page = pageSchema.safeParse(value);
  return ref.success && page.success ? { ref: ref.data, page: page.data } : undefined;
}

function renderActions({ ref, ...detailed }: DetailedRun): ActionsBlock[] {
  const url = safeUrl(detailed.run?.session_link);
  const buttons = [
    ...(url ? [button(openSessionAction, 'Open session', { url })] : []),
    ...('requestId' in ref && mayBeCanceled(detailed) ? [cancelButton(ref.requestId)] : []),
    ...('requestId' in ref ? [savePresetButton(ref.requestId)] : []),
    ...('requestId' in ref && url ? [revokeLinkButton(ref.requestId)] : []),
  ];
  return buttons.length > 0 ? [actions(buttons)] : [];
}

function renderTabs(shown: DetailsPage): ActionsBlock {
  const tabs = pageSchema.options.map((page) =>
    button(`run-details:page:${page}`, page === shown ? `• ${pages[page]}` : pages[page], {
      value: page,
      ...(page === shown && { style: 'primary' }),
    }),
  );
  return actions(tabs);
}

function renderPage(
  detailed: DetailedRun,
  page: DetailsPage,
  earlier: readonly RunRequest[],
): KnownBlock[] {
  switch (page) {
    case 'overview':
      return renderOverview(detailed, earlier);
    case 'prompt':
      return renderPrompt(detailed);
    case 'raw':
      return renderRaw(detailed);
  }
}

function renderPrompt({ prompt, context: thread }: DetailedRun): KnownBlock[] {
  return [
    ...codeBlocks(maskSecrets(prompt).text, promptPieces),
    ...(thread
      ? [context('Sent with it from Slack:'), ...codeBlocks(maskSecrets(thread).text, promptPieces)]
      : []),
  ];
}

function renderRaw({ run, config }: DetailedRun): KnownBlock[] {
  const said = run
    ? 'The latest data from the runs service. MCP server keys are left out and secrets are masked.'
    : 'The runs service has no data for this run yet. This is the requested configuration.';
  const shown = run && {
    ...run,
    ...(run.title && { title: shownText(run.title) }),
    prompt: maskSecrets(run.prompt).text,
  };
  const json = JSON.stringify(withoutSecrets(shown ?? config), null, 2);
  return [context(said), ...codeBlocks(json, rawPieces)];
}
