import type {
  BlockAction,
  ExternalSelectAction,
  StaticSelectAction,
  UsersSelectAction,
} from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Settings } from '../../store/settings.ts';
import { type ConfigSearchParts, searchConfig } from '../configuration/config-search.ts';
import { ackWaitMs } from '../connection/acknowledge-in-time.ts';
import type { Listeners } from '../connection/listeners.ts';
import type { People } from '../people/people.ts';
import type { OpenModal } from '../runs/run-start.ts';
import { registerAddToChannel } from './add-to-channel.ts';
import { createApiCreators } from './api-creators.ts';
import { type HomeFilter, readHomeFilter, writeHomeFilter } from './home-filter.ts';
import {
  environmentPicker,
  filterView,
  readFilterModal,
  renderFilterModal,
} from './home-filter-modal.ts';
import { homeActions, readFilterAction } from './home-filter-row.ts';
import { createHomeScreen, type HomeScreenParts } from './home-screen.ts';
import { createSetupCheck } from './home-setup.ts';

type HomeParts = Omit<HomeScreenParts, 'apiCreators' | 'setup'> &
  Parameters<typeof createApiCreators>[0] &
  Parameters<typeof createSetupCheck>[0] &
  ConfigSearchParts & {
    people: Pick<People, 'forget'>;
    settings: Settings;
    openSettings: OpenModal;
  };

const filterActions = new RegExp(
  `^(${[
    homeActions.creator,
    homeActions.person,
    homeActions.apiCreator,
    homeActions.state,
    homeActions.everyone,
    homeActions.clear,
  ].join('|')})$`,
);

/** The Home tab: the team's runs, newest first, filtered, in pages. */
export function registerHome(app: Listeners, parts: HomeParts) {
  const { settings, views } = parts;
  const apiCreators = createApiCreators(parts);
  const setup = createSetupCheck(parts);
  const screen = createHomeScreen({ ...parts, apiCreators, setup });

  app.event('app_home_opened', async ({ event, client, context }) => {
    if (event.tab !== 'home') return;
    const viewer = { teamId: context.teamId ?? '', userId: event.user };
    // Slack sends the view that it shows. Without one, the tab is blank: after a reinstall, for example.
    await screen.show(client, viewer, [], { isBlank: !event.view });
  });

  app.action<BlockAction<StaticSelectAction | UsersSelectAction | ExternalSelectAction>>(
    { type: 'block_actions', action_id: filterActions },
    async ({ ack, action, body, client, context }) => {
      await ack();
      const viewer = { teamId: context.teamId ?? '', userId: body.user.id };
      const before = await readHomeFilter(settings, viewer.teamId, viewer.userId);
      const filter = readFilterAction(action, before, viewer.userId);
      if (filter) await applyFilter(client, viewer, filter);
    },
  );

  app.action<BlockAction>(homeActions.find, async ({ ack, body, client, context }) => {
    await ack();
    const filter = await readHomeFilter(settings, context.teamId ?? '', body.user.id);
    await client.views.open({ trigger_id: body.trigger_id, view: renderFilterModal(filter) });
  });

  app.view(filterView, async ({ ack, body, view, client, context }) => {
    await ack();
    const viewer = { teamId: context.teamId ?? '', userId: body.user.id };
    const before = await readHomeFilter(settings, viewer.teamId, viewer.userId);
    await applyFilter(client, viewer, { ...before, ...readFilterModal(view) });
  });

  app.action(homeActions.refresh, async ({ ack, body, client, context }) => {
    await ack();
    const viewer = { teamId: context.teamId ?? '', userId: body.user.id };
    parts.people.forget(viewer.userId);
    await screen.show(client, viewer, (await views.read(viewer))?.cursors ?? []);
  });

  for (const to of ['older', 'newer'] as const) {
    app.action(homeActions[to], async ({ ack, body, client, context }) => {
      await ack();
      const viewer = { teamId: context.teamId ?? '', userId: body.user.id };
      await screen.turn(client, viewer, to);
    });
  }

  app.options(homeActions.apiCreator, async ({ ack, options, body, context }) => {
    const viewer = { teamId: context.teamId ?? '', userId: body.user.id };
    const refusal = await parts.rights.refuseSee(viewer, ackWaitMs);
    await ack(refusal ? { options: [] } : await apiCreators.offer(viewer.teamId, options.value));
  });

  app.options(environmentPicker, async ({ ack, options, body, context }) => {
    const asker = { teamId: context.teamId ?? '', userId: body.user.id, channelId: '' };
    const refusal = await parts.rights.refuseSee(asker, ackWaitMs);
    await ack(
      refusal ? { options: [] } : await searchConfig(parts, asker, 'environment', options.value),
    );
  });

  app.action<BlockAction>(homeActions.settings, async ({ ack, body, client, context }) => {
    await ack();
    const asker = { teamId: context.teamId ?? '', userId: body.user.id, channelId: '' };
    await parts.openSettings(client, { triggerId: body.trigger_id, asker });
  });

  /** Somebody has mended what was missing, and wants to see that. */
  const checkAgain = async (client: WebClient, viewer: Viewer) => {
    setup.forget();
    await screen.show(client, viewer, []);
  };
  app.action(homeActions.check, async ({ ack, body, client, context }) => {
    await ack();
    await checkAgain(client, { teamId: context.teamId ?? '', userId: body.user.id });
  });
  registerAddToChannel(app, checkAgain);

  async function applyFilter(client: WebClient, viewer: Viewer, filter: HomeFilter): Promise<void> {
    await writeHomeFilter(settings, viewer.teamId, viewer.userId, filter);
    await screen.show(client, viewer, []);
  }

  return screen;
}

type Viewer = { teamId: string; userId: string };
