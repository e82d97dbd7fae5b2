import type {
  BlockAction,
  Context,
  ExternalSelectAction,
  StaticSelectAction,
  UsersSelectAction,
} from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Settings } from '../../store/people/settings.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { searchConfig } from '../configuration/config-search.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import { acknowledgeAfter } from '../connection/deliveries/acknowledge-in-time.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { markedWorkspace } from '../connection/workspace-marks.ts';
import { type OpenModal, searchForMembers } from '../people/members-only.ts';
import type { People } from '../people/people.ts';
import type { Rights } from '../people/rights.ts';
import { ownerOf } from '../people/setting.ts';
import { showModal } from '../posting/modals.ts';
import { type Clicked, onOpeningClick, viewerOf } from '../runs/acting/click.ts';
import { type HomeFilter, homeFilter } from './home-filter.ts';
import {
  environmentPicker,
  filterView,
  readFilterModal,
  renderFilterModal,
} from './home-filter-modal.ts';
import { homeActions, type MenuVerb, menuVerbs, readFilterAction } from './home-filter-row.ts';
import type { HomeScreen } from './home-screen.ts';

type HomeDeps = {
  screen: Pick<HomeScreen, 'show' | 'showAgain' | 'turn'>;
  settings: Pick<Settings, 'read' | 'write'>;
  people: Pick<People, 'forget'>;
  promptRights: Pick<Rights, 'denyOpen'>;
  connections: Pick<RunConnections, 'catalogFor'>;
  requests: Pick<Requests, 'recentConfigs'>;
  modals: {
    openAutomations: OpenModal;
    openSettings: OpenModal;
    openConnections: OpenModal;
    openUsage: OpenModal;
  };
  /** Suggests prompts when someone opens the app's messages. */
  suggestPrompts(client: WebClient, viewer: RunViewer, directChannelId: string): Promise<void>;
};

const filterActions = new RegExp(
  `^(${[
    homeActions.creator,
    homeActions.person,
    homeActions.state,
    homeActions.everyone,
    homeActions.clear,
  ].join('|')})$`,
);

/** Registers the Home tab with its filters, pages and menu. */
export function registerHome(
  app: Listeners,
  {
    screen,
    settings,
    people,
    promptRights,
    connections,
    requests,
    modals,
    suggestPrompts,
  }: HomeDeps,
): void {
  app.event('app_home_opened', async ({ event, client, context }) => {
    const viewer = { teamId: context.teamId ?? '', userId: event.user };
    if (event.tab === 'messages') return suggestPrompts(client, viewer, event.channel);
    if (event.tab !== 'home') return;
    // Check if Slack's current view is from this workspace. There is no view after a reinstall, and an
    // organization's view can be another workspace's.
    const isOurs = event.view && markedWorkspace({ view: event.view }) === viewer.teamId;
    await screen.show(client, viewer, [], { isBlank: !isOurs });
  });

  const readFilter = (viewer: RunViewer) => homeFilter.read(settings, ownerOf('person', viewer));

  /** Stores the filter before the acknowledgement, so that the next click uses it. */
  async function applyFilter(
    { ack, context, client }: { ack(): Promise<void>; context: Context; client: WebClient },
    viewer: RunViewer,
    change: (before: HomeFilter) => HomeFilter | undefined,
  ): Promise<void> {
    let isChanged = false;
    await acknowledgeAfter({ ack: () => ack(), context }, async () => {
      const filter = change(await readFilter(viewer));
      if (filter) await homeFilter.write(settings, ownerOf('person', viewer), filter);
      isChanged = filter !== undefined;
    });
    if (isChanged) await screen.show(client, viewer, []);
  }

  app.action<BlockAction<StaticSelectAction | UsersSelectAction | ExternalSelectAction>>(
    { type: 'block_actions', action_id: filterActions },
    async ({ action, body, ...arrived }) => {
      const viewer = viewerOf(body, arrived.context.teamId);
      await applyFilter(arrived, viewer, (before) =>
        readFilterAction(action, before, viewer.userId),
      );
    },
  );

  onOpeningClick(app, homeActions.find, async (click) =>
    showModal(click, renderFilterModal(await readFilter(click.viewer))),
  );

  app.view(filterView, ({ body, view, ...arrived }) =>
    applyFilter(arrived, viewerOf(body, arrived.context.teamId), (before) => ({
      ...before,
      ...readFilterModal(view),
    })),
  );

  for (const to of ['older', 'newer'] as const) {
    onOpeningClick(app, homeActions[to], ({ client, viewer }) => screen.turn(client, viewer, to));
  }

  app.options(environmentPicker, async ({ ack, options, body, context }) => {
    const asker = { ...viewerOf(body, context.teamId), channelId: '' };
    const search = () =>
      searchConfig({ connections, requests }, asker, 'environment', options.value);
    await ack(await searchForMembers(promptRights, asker, search));
  });

  const openWith =
    (open: OpenModal) =>
    ({ client, body, viewer }: Clicked) =>
      open(client, { triggerId: body.trigger_id, asker: { ...viewer, channelId: '' } });
  const menu: Record<MenuVerb, (click: Clicked) => Promise<unknown>> = {
    automations: openWith(modals.openAutomations),
    settings: openWith(modals.openSettings),
    connections: openWith(modals.openConnections),
    usage: openWith(modals.openUsage),
    refresh: async ({ client, viewer }) => {
      people.forget(viewer.userId);
      await screen.showAgain(client, viewer);
    },
  };
  for (const verb of menuVerbs) onOpeningClick(app, homeActions[verb], menu[verb]);
  onOpeningClick(app, homeActions.more, async (click) => {
    const verb = menuVerbs.find((each) => each === click.value);
    if (verb) await menu[verb](click);
  });
}
