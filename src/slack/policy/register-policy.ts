import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { Policies } from '../people/policies.ts';
import type { Rights } from '../people/rights.ts';
import { answerView } from '../posting/answer-privately.ts';
import { updateOpenModal } from '../posting/modals.ts';
import { type Click, viewerOf } from '../runs/acting/click.ts';
import { onAdminClick } from './admin-clicks.ts';
import { readPersonView, renderPersonView } from './person-view.ts';
import { type RuleParts, registerRules } from './register-rules.ts';
import { renderRules, ruleIds } from './rules-view.ts';

type PolicyParts = Omit<RuleParts, 'redraw'> & {
  policies: Pick<Policies, 'read' | 'problem'>;
  promptRights: Pick<Rights, 'describe'>;
};

/** Opens the rules on top of an open modal. */
type OpenPolicy = (click: Click & { viewer: RunViewer }) => Promise<void>;

/** The rules of a workspace, for its admins. */
export function registerPolicy(app: Listeners, parts: PolicyParts): OpenPolicy {
  const { policies, rights, promptRights } = parts;
  const draw = async (teamId: string) =>
    renderRules({ ...(await policies.read(teamId)), problem: policies.problem() });

  registerRules(app, {
    ...parts,
    async redraw(client, teamId, viewId) {
      await updateOpenModal(client, viewId, await draw(teamId));
    },
  });

  onAdminClick(app, parts, ruleIds.try, async ({ client, body }) => {
    await client.views.push({ trigger_id: body.trigger_id, view: renderPersonView() });
  });

  app.view(ruleIds.answer, async ({ ack, body, view, context }) => {
    const viewer = viewerOf(body, context.teamId);
    const asked = readPersonView(view.state);
    const refusal = await promptRights.refuseSettings(viewer, 'workspace');
    if (refusal) return ack({ response_action: 'errors', errors: { person: refusal } });
    const described = await promptRights.describe({ ...asked, teamId: viewer.teamId });
    await ack({ response_action: 'update', view: renderPersonView({ ...asked, ...described }) });
  });

  return async ({ body, client, viewer }) => {
    const refusal = await rights.refuseSettings(viewer, 'workspace');
    const view = refusal ? answerView(`🔒 ${refusal}`) : await draw(viewer.teamId);
    await client.views.push({ trigger_id: body.trigger_id, view });
  };
}
