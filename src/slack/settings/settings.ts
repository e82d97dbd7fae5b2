import type { ModalView } from '@slack/types';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { readSearchedField, searchConfig } from '../configuration/config-search.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import { findEnvironmentError } from '../configuration/run-connections.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { forMembers, type OpenModal, searchForMembers } from '../people/members-only.ts';
import type { Rights } from '../people/rights.ts';
import { showModal } from '../posting/modals.ts';
import { type Click, onOpeningClick } from '../runs/acting/click.ts';
import type { FormState } from '../text/form-inputs.ts';
import { settingsIds } from './settings-fields.ts';
import {
  blockOf,
  readSettings,
  readSettingsButton,
  readSettingsChannel,
  readSettingsMetadata,
  renderSettings,
  renderSettingsStart,
  renderSettingsToRead,
  versionOf,
} from './settings-view.ts';
import type { StoredSettings } from './stored-settings.ts';

type Deps = {
  stored: StoredSettings;
  submitSettings: SubmitSettings;
  connections: RunConnections;
  requests: Requests;
  /** Rights checks that wait for Slack only until the acknowledgement is due. */
  promptRights: Rights;
  /** Opens the policy's rules on top of the start page. */
  openPolicy(click: Click & { viewer: RunViewer }): Promise<void>;
};

/** Registers the settings of a person, a channel and the workspace. */
export function registerSettings(
  app: Listeners,
  { stored, submitSettings, connections, requests, promptRights, openPolicy }: Deps,
): OpenModal {
  onOpeningClick(app, new RegExp(`^${settingsIds.open}`), async (click) => {
    const form = readSettingsButton(click.action.action_id);
    const { view } = click.body;
    if (!view || !form) return;
    const asker = { ...click.viewer, channelId: readSettingsChannel(view) };
    // Check rights before opening the form, so that nobody types values that they can't save.
    const [content, denial] = await Promise.all([
      stored.read(form, asker),
      promptRights.denySettings(asker, form.scope),
    ]);
    await showModal(
      click,
      denial ? renderSettingsToRead(content, denial) : renderSettings(content),
    );
  });

  app.options(new RegExp(`^${settingsIds.pick}`), async ({ ack, options, body, context }) => {
    const view = 'view' in body ? body.view : undefined;
    const channelId = view ? readSettingsChannel(view) : '';
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
    const view = renderSettingsStart(asker.channelId);
    await client.views.open({ trigger_id: triggerId, view });
  });
}

/** Saves a submitted form. Returns undefined if it was saved, or else the answer that Slack shows in the form. */
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
  promptRights: Pick<Rights, 'denySettings'>;
  ackWaitMs: number;
}): SubmitSettings {
  const { stored, connections, promptRights, ackWaitMs } = deps;
  return async (view, { teamId, userId }) => {
    const { scope, page, channelId, seen } = readSettingsMetadata(view);
    const form = { scope, page };
    const asker = { teamId, channelId, userId };
    const block = blockOf(scope);
    const current = await stored.read(form, asker);
    const { values, errors: fieldErrors } = readSettings(form, view, current);
    const isWrong = Object.keys(fieldErrors).length > 0;
    const [unlisted, denial] = await Promise.all([
      values.page === 'defaults'
        ? findEnvironmentError({ connections, ackWaitMs }, asker, values.config)
        : undefined,
      // Skip the rights check if there are errors anyway, because the check may have to wait for Slack.
      isWrong ? undefined : promptRights.denySettings(asker, scope),
    ]);
    const firstField = page === 'notifications' ? 'reply' : 'environment_id';
    const errors = {
      ...fieldErrors,
      ...(unlisted && { [block('environment_id')]: unlisted }),
      ...(denial && { [block(firstField)]: denial }),
    };
    if (Object.keys(errors).length > 0) return { response_action: 'errors', errors };
    // Accept stored values that equal the submitted ones. A repeated submission finds its own values.
    const isChanged = ![seen, versionOf(values)].includes(current.seen);
    if (scope !== 'person' && seen !== undefined && isChanged) {
      const again = renderSettings({ ...current, ...values }, current);
      return { response_action: 'update', view: again };
    }
    await stored.write(form, asker, values);
    return undefined;
  };
}
