import { type Automation, nextAtOf } from '../../../automations/automation.ts';
import type { Automations } from '../../../store/automations/automations.ts';
import type { Listeners } from '../../connection/deliveries/listeners.ts';
import type { AutomationAct } from '../../people/permissions.ts';
import { answerPrivately } from '../../posting/answer-privately.ts';
import { updateOpenModal } from '../../posting/modals.ts';
import { type Clicked, onClick, onOpeningClick } from '../../runs/acting/click.ts';
import type { AutomationRights } from '../automation-rights.ts';
import type { OpenAutomationForm } from '../form/open-automation-form.ts';
import { automationActions } from './automation-actions.ts';
import { type AutomationsPage, readPosition, unknownAutomation } from './register-page.ts';

type ActsDeps = {
  page: AutomationsPage;
  automations: Pick<Automations, 'pause' | 'resume' | 'remove'>;
  rights: Pick<AutomationRights, 'denyManage'>;
};

/** Registers the buttons that pause, resume and delete automations. */
export function registerAutomationActs(app: Listeners, deps: ActsDeps): void {
  const { page, automations, rights } = deps;

  onAct(automationActions.pause, 'pause', ({ id }, userId) =>
    automations.pause(id, {
      code: 'person',
      sentence: `<@${userId}> paused it.`,
      by: userId,
      at: Date.now(),
    }),
  );
  onAct(automationActions.resume, 'resume', ({ id, definition }, userId) =>
    automations.resume(id, nextAtOf(definition, Date.now()), userId),
  );
  onAct(automationActions.remove, 'remove', ({ id }, userId) => automations.remove(id, userId));

  /** Registers a button that changes the automation. The page then shows the result, also of someone else's change. */
  function onAct(
    actionId: string,
    act: AutomationAct,
    change: (automation: Automation, userId: string) => Promise<unknown>,
  ): void {
    onClick(app, actionId, async (click) => {
      const { viewer, client, body } = click;
      const automation = await findClicked(page, click);
      if (!automation) return answerPrivately(click, { text: unknownAutomation });
      const denial = await rights.denyManage(viewer, automation, act);
      if (denial) return answerPrivately(click, { text: `🔒 ${denial}` });
      await change(automation, viewer.userId);
      const position = readPosition(click);
      if (!position) return;
      const { channelId, which } = position;
      const next = act === 'remove' ? { channelId, which } : position;
      await updateOpenModal(client, body.view?.id, await page.draw(viewer, next));
    });
  }
}

/** Registers the buttons that open the form. */
export function registerAutomationFormButtons(
  app: Listeners,
  { page, openForm }: { page: AutomationsPage; openForm: OpenAutomationForm },
): void {
  onOpeningClick(app, automationActions.new, (click) => openForm(click.client, formTo(click), {}));
  onForm(automationActions.edit, 'automation');
  onForm(automationActions.takeOver, 'takeover');

  function onForm(actionId: string, from: 'automation' | 'takeover'): void {
    onOpeningClick(app, actionId, async (click) => {
      const automation = await findClicked(page, click);
      if (!automation) return answerPrivately(click, { text: unknownAutomation });
      await openForm(click.client, formTo(click), { from, automation });
    });
  }
}

/** Finds the automation of a button, if the person can see it. */
function findClicked(page: AutomationsPage, click: Clicked): Promise<Automation | undefined> {
  const conversationId = readPosition(click)?.channelId || click.viewer.conversationId;
  return page.see({ ...click.viewer, conversationId }, click.value);
}

function formTo(click: Clicked) {
  const { body, viewer } = click;
  const channelId = readPosition(click)?.channelId ?? '';
  const { teamId, userId } = viewer;
  return { triggerId: body.trigger_id, asker: { teamId, userId, channelId }, isOnModal: true };
}
