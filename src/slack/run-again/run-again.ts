import type { BlockAction } from '@slack/bolt';
import { ownAuthority } from '../../requests/authority.ts';
import type { RequestOrigin } from '../../requests/origin.ts';
import type { Conversations } from '../../store/people/conversations.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { takeOver } from '../configuration/keyed-servers.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { answerPrivately, unknownRun } from '../posting/answer-privately.ts';
import { openDirectMessage } from '../posting/post-message.ts';
import type { ReadMessageLink } from '../posting/source-message.ts';
import { type Clicked, onClick, type Repeat } from '../runs/acting/click.ts';
import {
  busyChannelText,
  type OpenAgain,
  type OpenForm,
  type StartRun,
} from '../runs/acting/run-start.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { type RunRef, readRunRef } from '../runs/run-ref.ts';
import { againAction, changeAction } from '../runs/showing/buttons/run-buttons.ts';
import { linkEarlierRun } from '../runs/showing/earlier-run.ts';
import { titleFrom } from '../runs/showing/run-label.ts';
import { type EarlierRun, repeatOfRequest, repeatOfRun } from './repeat.ts';

type Deps = {
  requests: Requests;
  access: RunAccess;
  conversations: Conversations;
  connections: RunConnections;
  settings: Settings;
  startRun: StartRun;
  openForm: OpenForm;
  readMessageLink: ReadMessageLink;
};

/** Max time between two clicks that start only one run, in ms. */
const doubleClickMs = 10_000;

/** Registers *Run again* and *Run again with changes*. The person becomes the creator of the new run. */
export function registerRunAgain(app: Listeners, deps: Deps) {
  const { requests, access, connections, startRun, openForm } = deps;

  const runAgain: Repeat = async (click, ref, place) => {
    const repeat = await read(click, ref, place);
    if (!repeat) return;
    // Open the form if the new run would differ, so that the person confirms it.
    if (repeat.notices.length > 0) return openRepeat(click, repeat);
    const { userId, teamId } = click.viewer;
    const id = await repeatId(`${teamId}-${repeat.of}`, userId, clickedAt(click.body));
    if (!id) return;
    const channelId = repeat.channelId || (await openDirectMessage(click.client, userId));
    const { notices: _, of: __, sourceId: ___, contextSize, ...start } = repeat;
    const origin = {
      ...(await withLink(deps, repeat, channelId)),
      ...(contextSize && { context: contextSize }),
    };
    const authority = ownAuthority(userId);
    const outcome = await startRun({ ...start, origin, channelId, id, authority });
    const text =
      outcome.outcome === 'rejected' ? `⚠️ ${outcome.sentence}` : busyChannelText(outcome);
    if (text) await answerPrivately(click, { text });
  };

  const runWithChanges: Repeat = async (click, ref, place) => {
    const repeat = await read(click, ref, place);
    if (repeat) await openRepeat(click, repeat);
  };

  on(againAction, runAgain);
  on(changeAction, runWithChanges);

  function on(actionId: string, act: Repeat): void {
    onClick(app, actionId, (click) => {
      const ref = readRunRef(click.value);
      return ref ? act(click, ref) : answerPrivately(click, { text: unknownRun });
    });
  }

  async function read(
    click: Clicked,
    ref: RunRef,
    { isList } = { isList: false },
  ): Promise<EarlierRun | undefined> {
    const { teamId } = click.viewer;
    const found = await access.see(click.viewer, ref);
    if ('run' in found) {
      const connection = await connections.nameOf(found.connectionId);
      return repeatOfRun(found, { teamId, connection });
    }
    if ('request' in found) return readRepeat(deps, found.request, click.viewer, isList);
    await answerPrivately(click, { text: found.sentence });
    return undefined;
  }

  const openAgain: OpenAgain = async (click, request, added) =>
    openRepeat(click, await readRepeat(deps, request, click.viewer, false), added);

  async function openRepeat(
    { client, body, viewer }: Clicked,
    repeat: EarlierRun,
    added?: Parameters<OpenAgain>[2],
  ): Promise<void> {
    const { channelId, teamId, prompt, context, config, notices, sourceId } = repeat;
    const { files, ...origin } = repeat.origin;
    const asker = { teamId, channelId, userId: viewer.userId };
    // Drop a title derived from the prompt, because it would be wrong for a changed prompt.
    const title = repeat.title === titleFrom(prompt) ? '' : repeat.title;
    const draft = {
      channelId,
      prompt: added?.text ? `${prompt}\n\n${added.text}` : prompt,
      title,
      typed: config,
      repeats: { prompt, context, title: repeat.title, config },
      sourceId,
      origin,
      files,
      notices: [...notices, ...(added?.notices ?? [])],
      needsThread: context !== null,
    };
    const { messages = 0, left } = repeat.contextSize ?? {};
    const later = context
      ? async () => ({ context, messages, left, notices: [], isWanted: true })
      : undefined;
    await openForm(client, { triggerId: body.trigger_id, asker }, draft, later);
  }

  /**
   * Returns the new run's ID, which is the same for two clicks at the same time. Returns undefined if an earlier click
   * has just started a run.
   */
  async function repeatId(of: string, userId: string, at: number): Promise<string | undefined> {
    const slot = Math.floor(at / doubleClickMs);
    const idOf = (some: number) => `${of}-again-${userId}-${some}`;
    const before = await requests.find(idOf(slot - 1));
    const isDouble = before !== undefined && at - before.acceptedAt < doubleClickMs;
    return isDouble ? undefined : idOf(slot);
  }

  return { runAgain, runWithChanges, openAgain };
}

async function readRepeat(
  { settings, conversations }: Deps,
  request: RunRequest,
  { teamId, userId, conversationId }: RunViewer,
  isList: boolean,
): Promise<EarlierRun> {
  const { channelId, creatorId } = request;
  // Check if the person is in the run's channel, because a creator sees the run even after leaving it. Direct
  // messages always pass, because they aren't stored as conversations.
  const isIn =
    conversationId === channelId ||
    channelId.startsWith('D') ||
    (await conversations.isOpenTo({ teamId, conversationId: channelId }, userId));
  const taken = await takeOver(settings, { teamId, userId, channelId }, request);
  const isElsewhere = !isIn || (isList && creatorId !== userId);
  return repeatOfRequest(request, taken, { isElsewhere });
}

/** Returns the time of the click by Slack's clock, in epoch ms. A repeated delivery has the same time. */
function clickedAt({ actions: [action] }: BlockAction): number {
  const seconds = action && 'action_ts' in action ? Number(action.action_ts) : Number.NaN;
  return Number.isNaN(seconds) ? Date.now() : seconds * 1000;
}

async function withLink(
  { requests, readMessageLink }: Deps,
  repeat: EarlierRun,
  channelId: string,
): Promise<RequestOrigin> {
  const { origin } = repeat;
  if (!origin.again) return origin;
  const { requestId } = origin.again;
  const before = requestId ? await requests.find(requestId) : undefined;
  return {
    ...origin,
    again: await linkEarlierRun(readMessageLink, origin.again, before, channelId),
  };
}
