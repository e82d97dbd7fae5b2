import type { KnownBlock, ModalView } from '@slack/types';
import { readableLine, readableText } from 'base/readable-text';
import { maskSecrets } from 'base/secrets/mask-secrets';
import { RunsApiError } from 'runs-client/runs-api-error';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Connect } from '../configuration/connect.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { showLoaded } from '../posting/modals.ts';
import { onOpeningClick, refOf } from '../runs/acting/click.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import type { RunRef } from '../runs/run-ref.ts';
import { viewPlanAction } from '../runs/showing/buttons/run-buttons.ts';
import { planOf } from '../runs/showing/run-artifacts.ts';
import { context, modal, section } from '../text/blocks.ts';
import { escapeText } from '../text/escape-text.ts';
import { failureSentence } from '../text/failure.ts';
import { plainTexts } from '../text/rich-text.ts';

/** Short timeout and one retry, because a person is watching the modal. */
const callOptions = { timeoutMs: 5_000, maxRetries: 1 } as const;

/** Registers the button *View plan* in *Details*. Anyone who can see the run can open the plan. */
export function registerPlan(
  app: Listeners,
  { access, connect }: { access: RunAccess; connect: Connect },
): void {
  onOpeningClick(app, viewPlanAction, (click) =>
    showLoaded(click, renderPlanMessage('⏳ Reading the plan…'), () =>
      read(click.viewer, refOf(click)),
    ),
  );

  async function read(viewer: RunViewer, ref: RunRef): Promise<ModalView> {
    const found = await access.see(viewer, ref);
    if ('sentence' in found) return renderPlanMessage(found.sentence);
    const { run, connectionId } = 'run' in found ? found : found.request;
    const plan = planOf(run);
    if (!plan) return renderPlanMessage(gone);
    try {
      const { artifacts } = await connect(connectionId);
      const { data } = await artifacts.get(plan.uid, callOptions);
      const content = maskSecrets(data.content ?? '').text;
      return renderPlan(maskSecrets(data.title ?? '').text, content);
    } catch (error) {
      if (!(error instanceof RunsApiError)) throw error;
      const isGone = error.code === 'not_found';
      return renderPlanMessage(isGone ? gone : failureSentence(error.code, connectionId));
    }
  }
}

const gone = "The runs service doesn't have this plan anymore.";

/** Max blocks with text in the modal. Slack limits a view to 250 KB. */
const textPieces = 20;
const titleLimit = 200;

/** Shows the agent's Markdown as plain text, because modals can't render Markdown. */
export function renderPlan(title: string, content: string): ModalView {
  const name = escapeText(readableLine(title), titleLimit);
  const text = readableText(content).trim() || 'This plan is empty.';
  return planModal([...(name ? [context(name)] : []), ...plainTexts(text, textPieces)]);
}

/**
 * Renders the modal with a text instead of a plan.
 * @param text trusted mrkdwn, never user input
 */
export const renderPlanMessage = (text: string): ModalView => planModal([section(text)]);

const planModal = (blocks: KnownBlock[]): ModalView =>
  modal({ callbackId: 'plan', title: 'Plan', blocks });
