/** *Details*: everything that is known of a run, on three pages of one modal. Renders its pages and reads its buttons. */
import type { ActionsBlock, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { RunRequest } from '../../store/request-row.ts';
import {
  cancelButton,
  mayBeCancelled,
  openSessionAction,
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

const detailsTitle = 'Details of the run';
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

/** While the runs service is asked: a trigger does not wait for it. `words` are markup. */
export function renderNoDetails(words: string): ModalView {
  return {
    type: 'modal',
    callback_id: 'run-details',
    title: plain(detailsTitle, 24),
    close: plain('Close', 24),
    blocks: [section(words)],
  };
}

/** Which page a tab asks for, and of which request; undefined when the view is not ours. */
export function readDetailsTab(
  metadata: string,
  value: string | undefined,
): { ref: RunRef; page: DetailsPage } | undefined {
  const ref = runRefSchema.safeParse(JSON.parse(metadata || '{}'));
  const page = pageSchema.safeParse(value);
  return ref.success && page.success ? { ref: ref.data, page: page.data } : undefined;
}

/** What can be done from here, as from the run message. */
function renderActions({ ref, ...detailed }: DetailedRun): ActionsBlock[] {
  const url = safeUrl(detailed.run?.session_link);
  const buttons = [
    ...(url ? [button(openSessionAction, 'Open session', { url })] : []),
    ...('requestId' in ref && mayBeCancelled(detailed) ? [cancelButton(ref.requestId)] : []),
    ...('requestId' in ref ? [savePresetButton(ref.requestId)] : []),
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
      return codeBlocks(maskSecrets(detailed.prompt).text, promptPieces);
    case 'raw':
      return renderRaw(detailed);
  }
}

function renderRaw({ run, config }: DetailedRun): KnownBlock[] {
  const said = run
    ? 'What the runs service last said of this run, to copy. Keys of MCP servers are left out, and what looks like a secret is masked.'
    : 'The runs service has said nothing of this run yet. This is the configuration that was asked for.';
  const shown = run && {
    ...run,
    ...(run.title && { title: shownText(run.title) }),
    prompt: maskSecrets(run.prompt).text,
  };
  const json = JSON.stringify(withoutSecrets(shown ?? config), null, 2);
  return [context(said), ...codeBlocks(json, rawPieces)];
}
