import type { ModalView } from '@slack/types';
import { scopeSchema } from '../../store/people/settings.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { readSearchedField, searchConfig } from '../configuration/config-search.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import { findEnvironmentError } from '../configuration/run-connections.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { forMembers, type OpenModal, searchForMembers } from '../people/members-only.ts';
import type { Rights } from '../people/rights.ts';
import { type Click, onOpeningClick } from '../runs/acting/click.ts';
import type { FormState } from '../text/form-inputs.ts';
import { settingsIds } from './settings-fields.ts';
import {
  blockOf,
  readSettings,
  readSettingsPlace,
  renderSettings,
  renderSettingsToRead,
  versionOf,
} from './settings-view.ts';
import type { StoredSettings } from './stored-settings.ts';

type Deps = {
  stored: StoredSettings;
  submitSettings: SubmitSettings;
  connections: RunConnections;
  requests: Requests;
  rights: Rights;
  /** Waits for Slack only as long as an acknowledgement can. */
  promptRights: Rights;
  /** Opens the rules on top of the settings. */
  openPolicy(click: Click & { viewer: RunViewer }): Promise<void>;
};

/** Settings of a person, a channel and the workspace. */
export function registerSettings(
  app: Listeners,
  { stored, submitSettings, connections, requests, rights, promptRights, openPolicy }: Deps,
): OpenModal {
  onOpeningClick(
    app,
    new RegExp(`^${settingsIds.scope}:`),
    async ({ action, body, client, viewer }) => {
      const scope = scopeSchema.safeParse(action.action_id.split(':').at(-1));
      if (!body.view || !scope.success) return;
      const asker = { ...viewer, channelId: readSettingsPlace(body.view).channelId };
      // People learn that they can't change the settings before they type.
      const [content, refusal] = await Promise.all([
        stored.read(scope.data, asker),
        rights.refuseSettings(asker, scope.data),
      ]);
      const view = refusal ? renderSettingsToRead(content, refusal) : renderSettings(content);
      await client.views.update({ view_id: body.view.id, hash: body.view.hash, view });
    },
  );

  app.options(new RegExp(`^${settingsIds.pick}`), async ({ ack, options, body, context }) => {
    const view = 'view' in body ? body.view : undefined;
    const channelId = view ? readSettingsPlace(view).channelId : '';
    const asker = { teamId: context.teamId ?? '', userId: body.user.id, channelId };
    const field = readSearchedField(options.action_id);
    if (!field) return ack({ options: [] });
    const search = () => searchConfig({ connections, requests }, asker, field, options.value);
    await ack(await searchForMembers(promptRights, asker, search));
  });

  onOpeningClick(app, settingsIds.policy, (click) => openPolicy(click));

  app.view(settingsIds.view, async ({ ack, body, view, context }) => {
    await ack(await submitSettings(view, { teamId: context.teamId ?? '', userId: body.user.id }));
  });

  return forMembers(promptRights, async (client, { triggerId, asker }) => {
    const view = renderSettings(await stored.read('person', asker));
    await client.views.open({ trigger_id: triggerId, view });
  });
}

/** Saves submitted settings, or returns the answer for the form if they can't be saved. */
type SubmitSettings = (
  view: { private_metadata: string; state: FormState },
  person: { teamId: string; userId: string },
) => Promise<
  | { response_action: 'errors'; errors: Record<string, string> }
  | { response_action: 'update'; view: ModalView }
  | undefined
>;

export function createSettingsSubmission(deps: {
  stored: StoredSettings;
  connections: Pick<RunConnections, 'catalogFor'>;
  promptRights: Pick<Rights, 'refuseSettings'>;
  ackWaitMs: number;
}): SubmitSettings {
  const { stored, connections, promptRights, ackWaitMs } = deps;
  return async (view, { teamId, userId }) => {
    const { scope, channelId, seen } = readSettingsPlace(view);
    const asker = { teamId, channelId, userId };
    const block = blockOf(scope);
    const current = await stored.read(scope, asker);
    const { values, errors: fieldErrors } = readSettings(scope, view, current.config);
    const isWrong = Object.keys(fieldErrors).length > 0;
    const [unlisted, refusal] = await Promise.all([
      findEnvironmentError({ connections, ackWaitMs }, asker, values.config),
      // Errors in fields don't wait for Slack to say who this is.
      isWrong ? undefined : promptRights.refuseSettings(asker, scope),
    ]);
    const errors = {
      ...fieldErrors,
      ...(unlisted && { [block('environment_id')]: unlisted }),
      ...(refusal && { [block('reply')]: refusal }),
    };
    if (Object.keys(errors).length > 0) return { response_action: 'errors', errors };
    // A repeated submission finds its own values.
    const isChanged = ![seen, versionOf(values)].includes(current.seen);
    if (scope !== 'person' && seen !== undefined && isChanged) {
      const again = renderSettings({ ...current, ...values }, current.config);
      return { response_action: 'update', view: again };
    }
    await stored.write(scope, asker, values);
    return undefined;
  };
}
