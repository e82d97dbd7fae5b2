import { answerPrivately } from '../../posting/answer-privately.ts';
import type { Clicked } from '../../runs/acting/click.ts';
import type { RunAccess } from '../../runs/reading/run-access.ts';
import type { OpenAutomationForm } from './automation-draft.ts';

/** Opens the form of an automation, filled from a finished run. */
export type MakeRecurring = (click: Clicked, requestId: string) => Promise<void>;

export const createMakeRecurring =
  (deps: {
    access: Pick<RunAccess, 'seeRequest'>;
    openAutomationForm: OpenAutomationForm;
  }): MakeRecurring =>
  async (click, requestId) => {
    const { client, body, viewer } = click;
    const found = await deps.access.seeRequest(viewer, requestId);
    if ('sentence' in found) return answerPrivately(click, { text: found.sentence });
    const { request } = found;
    if (request.step !== 'ended') return answerPrivately(click, { text: notEnded });
    const asker = { ...viewer, channelId: request.channelId };
    const isOnModal = body.view?.type === 'modal';
    const to = { triggerId: body.trigger_id, asker, isOnModal };
    await deps.openAutomationForm(client, to, { from: 'run', request });
  };

const notEnded = "This run hasn't ended yet. When it has, select *Make recurring* again.";
