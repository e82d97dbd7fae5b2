import type {
  App,
  BlockAction,
  OverflowAction,
  StaticSelectAction,
  UsersSelectAction,
} from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Settings } from '../../store/settings.ts';
import { tell, unknownRun } from '../tell.ts';
import { type HomeFilter, readHomeFilter, writeHomeFilter } from './home-filter.ts';
import { filterView, readFilterModal, renderFilterModal } from './home-filter-modal.ts';
import { homeActions, readFilterAction } from './home-filter-row.ts';
import { readRowPick, rowAction } from './home-row-view.ts';
import { createHomeScreen, type HomeScreenParts } from './home-screen.ts';

type HomeParts = HomeScreenParts & {
  settings: Settings;
  openDetails(asked: {
    requestId: string;
    triggerId: string;
    teamId: string | undefined;
    client: WebClient;
  }): Promise<'opened' | 'unknown'>;
};

/** The Home tab: the team's runs, newest first, filtered, in pages. */
export function registerHome(app: App, parts: HomeParts) {
  const { settings, views } = parts;
  const screen = createHomeScreen(parts);

  app.event('app_home_opened', async ({ event, client, context }) => {
    if (event.tab !== 'home') return;
    const viewer = { teamId: context.teamId ?? '', userId: event.user };
    await screen.show(client, viewer, []);
  });

  const filters = new RegExp(
    `^(${[homeActions.creator, homeActions.person, homeActions.state, homeActions.clear].join('|')})$`,
  );
  app.action<BlockAction<StaticSelectAction | UsersSelectAction>>(
    { type: 'block_actions', action_id: filters },
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
    await screen.show(client, viewer, (await views.read(viewer))?.cursors ?? []);
  });

  for (const to of ['older', 'newer'] as const) {
    app.action(homeActions[to], async ({ ack, body, client, context }) => {
      await ack();
      const viewer = { teamId: context.teamId ?? '', userId: body.user.id };
      await screen.turn(client, viewer, to);
    });
  }

  app.action<BlockAction<OverflowAction>>(
    { type: 'block_actions', action_id: rowAction },
    async ({ ack, action, body, client, context, respond }) => {
      await ack();
      const pick = readRowPick(action.selected_option.value);
      // Slack itself follows the link of *Open session*.
      if (pick?.verb !== 'details') return;
      const asked = { requestId: pick.requestId, triggerId: body.trigger_id, client };
      const outcome = await parts.openDetails({ ...asked, teamId: context.teamId });
      if (outcome === 'unknown') await tell({ body, client, respond }, { text: unknownRun });
    },
  );

  async function applyFilter(client: WebClient, viewer: Viewer, filter: HomeFilter): Promise<void> {
    await writeHomeFilter(settings, viewer.teamId, viewer.userId, filter);
    await screen.show(client, viewer, []);
  }

  return screen;
}

type Viewer = { teamId: string; userId: string };
