import type { ModalView } from '@slack/types';
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
import { failureSentence } from '../text/failure.ts';
import { renderPlan, renderPlanMessage } from './plan-view.ts';

type PlanParts = { access: Pick<RunAccess, 'see'>; connect: Connect };

/** Someone waits for it. */
const callOptions = { timeoutMs: 5_000, maxRetries: 1 } as const;

/** *View plan*, from *Details*. Anyone who can see the run may open it. */
export function registerPlan(app: Listeners, { access, connect }: PlanParts): void {
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
