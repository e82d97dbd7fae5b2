import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Settings } from '../../store/settings.ts';
import {
  type Asker,
  readDefaults,
  readStartsAtOnce,
  type Scope,
  writeDefaults,
  writeStartsAtOnce,
} from '../run-defaults.ts';
import type { OpenModal } from '../run-start.ts';
import {
  blockOf,
  readSettings,
  readSettingsPlace,
  renderSettings,
  type SettingsContent,
  scopeSchema,
  settingsIds,
} from './settings-view.ts';

type SettingsParts = { settings: Pick<Settings, 'read' | 'write'> };

/** Defaults of a person, a channel and the workspace, edited by those who may. */
export function registerSettings(app: App, { settings }: SettingsParts): OpenModal {
  const read = async (scope: Scope, asker: Asker): Promise<SettingsContent> => ({
    scope,
    channelId: asker.channelId,
    config: await readDefaults(settings, scope, asker),
    startsAtOnce: await readStartsAtOnce(settings, asker),
  });

  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: new RegExp(`^${settingsIds.scope}:`) },
    async ({ ack, action, body, client }) => {
      await ack();
      const scope = scopeSchema.safeParse(action.action_id.split(':').at(-1));
      if (!body.view || !scope.success) return;
      const { channelId } = readSettingsPlace(body.view);
      const asker = { teamId: body.team?.id ?? '', channelId, userId: body.user.id };
      const view = renderSettings(await read(scope.data, asker));
      await client.views.update({ view_id: body.view.id, hash: body.view.hash, view });
    },
  );

  app.view(settingsIds.view, async ({ ack, body, view, client }) => {
    const { scope, channelId } = readSettingsPlace(view);
    const asker = { teamId: body.team?.id ?? '', channelId, userId: body.user.id };
    const answers = readSettings(scope, view);
    if (!answers.ok) {
      await ack({ response_action: 'errors', errors: answers.errors });
      return;
    }
    const refusal = await whyNotEdit(client, scope, asker);
    if (refusal) {
      await ack({
        response_action: 'errors',
        errors: { [blockOf(scope)('environment_id')]: refusal },
      });
      return;
    }
    await writeDefaults(settings, scope, asker, answers.config);
    if (scope === 'person') await writeStartsAtOnce(settings, asker, answers.startsAtOnce);
    await ack();
  });

  return async (client, { triggerId, asker }) => {
    const view = renderSettings(await read('person', asker));
    await client.views.open({ trigger_id: triggerId, view });
  };
}

/** A sentence for whoever may not; undefined for those who may. */
async function whyNotEdit(
  client: WebClient,
  scope: Scope,
  { userId, teamId }: Asker,
): Promise<string | undefined> {
  if (scope === 'person') return undefined;
  const { user } = await client.users.info({ user: userId });
  const isOurs = user?.team_id === undefined || user.team_id === teamId;
  if (scope === 'workspace') {
    if (isOurs && (user?.is_admin || user?.is_owner)) return undefined;
    return 'Only admins of the workspace may change its defaults. Ask one of them.';
  }
  if (isOurs && !user?.is_restricted) return undefined;
  return 'Only members of this workspace may change a channel’s defaults, not guests.';
}
