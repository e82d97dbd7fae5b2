import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { withSoftTimeout } from 'base/time/soft-timeout';
import { LRUCache } from 'lru-cache';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { People } from '../people/people.ts';
import { answerView } from '../posting/answer-privately.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { onOpeningClick } from '../runs/acting/click.ts';
import type { OpenForm } from '../runs/acting/run-start.ts';
import { newRunAction } from '../runs/showing/buttons/run-buttons.ts';
import { actions, button, section } from '../text/blocks.ts';

/**
 * Registers *Start an agent run* in Slack's search and composer, and *New run* in Home. Neither of them has a channel.
 */
export function registerGlobalShortcut(
  app: Listeners,
  { openForm, chooseWorkspace }: { openForm: OpenForm; chooseWorkspace: ChooseWorkspace },
): void {
  app.shortcut('global-shortcut:run', async ({ shortcut, ack, client, context }) => {
    await ack();
    const { trigger_id: triggerId, user, is_enterprise_install: isWholeOrg } = shortcut;
    const asker = { teamId: context.teamId ?? '', userId: user.id, channelId: '' };
    const choice = isWholeOrg ? await chooseWorkspace(asker) : undefined;
    if (choice) return void (await client.views.open({ trigger_id: triggerId, view: choice }));
    const to = { triggerId, asker };
    await openForm(client, to, { ...emptyDraft, origin: { kind: 'shortcut' } });
  });

  onOpeningClick(app, newRunAction, ({ body, client, viewer }) => {
    const to = { triggerId: body.trigger_id, asker: { ...viewer, channelId: '' } };
    return openForm(client, to, { ...emptyDraft, origin: { kind: 'home' } });
  });
}

const emptyDraft = { channelId: '', prompt: '', typed: {} };

type NamedWorkspace = { id: string; name: string };
/** Returns a modal to choose a workspace, or undefined if the person has only one. */
type ChooseWorkspace = (person: {
  teamId: string;
  userId: string;
}) => Promise<ModalView | undefined>;

const cache = { max: 1, ttl: 5 * 60_000, perf: { now: () => Date.now() } };
const listKey = 'all';
const maxOffered = 20;

/**
 * Creates the modal that asks people in several workspaces of an organization to choose one. A global shortcut doesn't
 * name the workspace.
 */
export function createWorkspaceChoice(deps: {
  client: Pick<WebClient, 'auth'>;
  people: Pick<People, 'find'>;
  ackWaitMs: number;
}): ChooseWorkspace {
  const { client, people, ackWaitMs } = deps;
  const lists = new LRUCache<string, NamedWorkspace[]>({
    ...cache,
    fetchMethod: async () => {
      const { teams = [] } = await client.auth.teams.list({ limit: 1_000 });
      return teams.flatMap(({ id, name }) => (id ? [{ id, name: name || id }] : []));
    },
  });

  /** Reads the person's workspaces. Returns undefined if Slack doesn't respond. */
  async function read(userId: string): Promise<NamedWorkspace[] | undefined> {
    try {
      const lookups = Promise.all([lists.fetch(listKey), people.find(userId)]);
      const [all, person] = (await withSoftTimeout(lookups, ackWaitMs)) ?? [];
      return person && all?.filter(({ id }) => person.teamIds.includes(id));
    } catch (error) {
      readSlackFailure(error);
      return undefined;
    }
  }

  return async ({ teamId, userId }) => {
    const own = await read(userId);
    if (!own) return answerView(notKnown);
    if (own.every(({ id }) => id === teamId)) return undefined;
    return answerView([
      section('*Which workspace is the run for?*'),
      ...own.slice(0, maxOffered).flatMap(offer),
    ]);
  };
}

const notKnown =
  "⚠️ Slack didn't say which workspace you're in. Type `/agent` in a channel to start a run there.";

/** Renders the button for a workspace. The block ID tells the click's handler which workspace it's for. */
const offer = ({ id, name }: NamedWorkspace) => [
  { ...actions([button(newRunAction, name)]), block_id: `${id}-choose` },
];
