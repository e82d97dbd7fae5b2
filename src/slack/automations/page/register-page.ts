import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Automations } from '../../../store/automations/automations.ts';
import type { Firings } from '../../../store/automations/firings.ts';
import type { Settings } from '../../../store/people/settings.ts';
import type { RunViewer } from '../../../store/requests/visible-requests.ts';
import type { Listeners } from '../../connection/deliveries/listeners.ts';
import { forMembers, type OpenModal } from '../../people/members-only.ts';
import type { People } from '../../people/people.ts';
import type { Rights } from '../../people/rights.ts';
import { answerView } from '../../posting/answer-privately.ts';
import { readViewMetadata, showModal, updateOpenModal } from '../../posting/modals.ts';
import { type Clicked, onOpeningClick } from '../../runs/acting/click.ts';
import { type AllowedBot, readAllowedBots } from '../allowed-bots.ts';
import type { HookAddress } from '../form/form-content.ts';
import {
  automationActions,
  type PagePosition,
  pageSchema,
  pageView,
  readNextPage,
  whichSchema,
} from './automation-actions.ts';
import { entriesAtOnce, renderAutomation } from './details-view.ts';
import { listedAtOnce, renderList } from './list-view.ts';

export type PageDeps = {
  automations: Pick<Automations, 'visible'>;
  firings: Pick<Firings, 'history'>;
  settings: Pick<Settings, 'read'>;
  people: Pick<People, 'look'>;
  hooks: HookAddress;
  /** Rights that wait for Slack only as long as an acknowledgement allows. */
  promptRights: Pick<Rights, 'denyOpen' | 'denySee' | 'isAdmin'>;
};

export type AutomationsPage = ReturnType<typeof createAutomationsPage>;

export const unknownAutomation =
  "The app doesn't have this automation anymore, or it belongs to a conversation that you aren't in.";

/** Creates the functions that read and draw the page of automations. */
export function createAutomationsPage(deps: PageDeps) {
  const { automations, firings, settings, people, hooks, promptRights } = deps;

  async function isAdmin(viewer: RunViewer): Promise<boolean> {
    const found = await people.look([viewer.userId]);
    return promptRights.isAdmin(viewer, found.get(viewer.userId));
  }

  /** Returns an automation that the person can see. */
  async function see(viewer: RunViewer, id: string) {
    const [found] = await automations.visible(viewer, { id, limit: 1 });
    return found;
  }

  async function list(viewer: RunViewer, position: PagePosition): Promise<ModalView> {
    const { channelId, which, after } = position;
    const filter = {
      ...(which === 'mine' && { ownerId: viewer.userId }),
      ...(which === 'here' && { channelId }),
      ...(after && { after }),
      limit: listedAtOnce + 1,
    };
    const [listed, bots, admin] = await Promise.all([
      automations.visible(viewer, filter),
      readAllowedBots(settings, viewer.teamId),
      isAdmin(viewer),
    ]);
    return renderList({
      position,
      automations: listed,
      isAdmin: admin,
      botNames: botNamesOf(bots),
    });
  }

  async function details(viewer: RunViewer, position: PagePosition): Promise<ModalView> {
    const id = position.automationId ?? '';
    const automation = await see(viewer, id);
    if (!automation) return answerView(unknownAutomation);
    const page = { before: position.before, limit: entriesAtOnce + 1 };
    const [history, bots, admin] = await Promise.all([
      firings.history(viewer, id, page),
      readAllowedBots(settings, viewer.teamId),
      isAdmin(viewer),
    ]);
    return renderAutomation({
      position,
      automation,
      history,
      viewer: { userId: viewer.userId, isAdmin: admin },
      botNames: botNamesOf(bots),
      hooks,
    });
  }

  /** Draws the page for someone who can see runs. Others see the reason. */
  async function draw(asker: RunViewer, position: PagePosition): Promise<ModalView> {
    const { channelId } = position;
    const viewer = { ...asker, conversationId: channelId || undefined };
    const denial = await promptRights.denySee(viewer);
    if (denial) return answerView(`🔒 ${denial}`);
    return position.automationId === undefined ? list(viewer, position) : details(viewer, position);
  }

  return {
    see,
    draw,
    /** Shows an automation in the page, which is open. */
    async redraw(client: WebClient, viewId: string, viewer: RunViewer, automationId: string) {
      const channelId = viewer.conversationId ?? '';
      const position = { channelId, which: 'all' as const, automationId };
      await updateOpenModal(client, viewId, await draw(viewer, position));
    },
  };
}

const botNamesOf = (bots: readonly AllowedBot[]): ReadonlyMap<string, string> =>
  new Map(bots.map(({ botId, name }) => [botId, name]));

/** Returns the position of the page in which something was clicked. Undefined for clicks elsewhere. */
export const readPosition = ({ body: { view } }: Pick<Clicked, 'body'>) =>
  view?.callback_id === pageView ? readViewMetadata(pageSchema, view) : undefined;

/** Registers `/agent automations`, which lists automations by channel, and the buttons that turn its pages. */
export function registerAutomationsPage(
  app: Listeners,
  { page, promptRights }: { page: AutomationsPage; promptRights: Pick<Rights, 'denyOpen'> },
): OpenModal {
  onOpeningClick(app, automationActions.open, async (click) => {
    const { viewer, value: automationId } = click;
    const position = readPosition(click);
    if (position) return turn(click, { ...position, before: undefined, automationId });
    const channelId = viewer.conversationId ?? '';
    await showModal(click, await page.draw(viewer, { channelId, which: 'all', automationId }));
  });

  onPage(automationActions.list, ({ channelId, which }) => ({ channelId, which }));
  onPage(automationActions.turnBack, ({ after, before, ...position }) => position);
  onPage(automationActions.which, ({ channelId, which }, { value }) => ({
    channelId,
    which: whichSchema.safeParse(value).data ?? which,
  }));
  onPage(automationActions.turn, (position, { value }) => ({
    ...position,
    ...readNextPage(value),
  }));

  function onPage(
    actionId: string,
    next: (position: PagePosition, click: Clicked) => PagePosition,
  ): void {
    onOpeningClick(app, actionId, async (click) => {
      const position = readPosition(click);
      if (position) await turn(click, next(position, click));
    });
  }

  async function turn({ client, body, viewer }: Clicked, position: PagePosition): Promise<void> {
    await updateOpenModal(client, body.view?.id, await page.draw(viewer, position));
  }

  return forMembers(promptRights, async (client, { triggerId, asker }) => {
    const { channelId } = asker;
    const view = await page.draw(asker, { channelId, which: 'all' });
    await client.views.open({ trigger_id: triggerId, view });
  });
}
