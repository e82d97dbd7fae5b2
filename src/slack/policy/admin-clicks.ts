import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { Rights } from '../people/rights.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { type Clicked, onClick } from '../runs/acting/click.ts';

export type AdminClick = Clicked & { viewId: string };

/** A button in a modal, for workspace admins. */
export function onAdminClick(
  app: Listeners,
  { rights }: { rights: Pick<Rights, 'refuseSettings'> },
  actionId: string,
  act: (click: AdminClick) => Promise<void>,
): void {
  onClick(app, actionId, async (click) => {
    const refusal = await rights.refuseSettings(click.viewer, 'workspace');
    if (refusal) return answerPrivately(click, { text: `🔒 ${refusal}` });
    if (click.body.view) await act({ ...click, viewId: click.body.view.id });
  });
}
