import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import type { RequestOrigin } from '../../store/request-origin.ts';
import type { RunRequest } from '../../store/request-row.ts';
import type { Requests } from '../../store/requests.ts';
import { splitPrompt } from '../prompt-context.ts';
import { againAction, changeAction } from '../run-buttons.ts';
import type { OpenAgain, OpenForm, StartRun } from '../run-start.ts';
import { tell, unknownRun } from '../tell.ts';

type RunAgainParts = {
  requests: Pick<Requests, 'find'>;
  startRun: StartRun;
  openForm: OpenForm;
};

/** Two clicks within this time are one wish. */
const doubleClickMs = 10_000;

/** *Run again* and *Run again with changes*: anybody may, and becomes the creator of the new run. */
export function registerRunAgain(
  app: App,
  { requests, startRun, openForm }: RunAgainParts,
): { openAgain: OpenAgain } {
  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: againAction },
    async ({ ack, action, body, client, respond }) => {
      await ack();
      const request = action.value ? await requests.find(action.value) : undefined;
      if (!request) return tell({ body, client, respond }, { text: unknownRun });
      const id = await repeatId(request, body.user.id);
      if (!id) return;
      const outcome = await startRun({ ...repeatOf(request), id, creatorId: body.user.id });
      if (outcome.outcome === 'refused') {
        await tell({ body, client, respond }, { text: `⚠️ ${outcome.sentence}` });
      }
    },
  );

  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: changeAction },
    async ({ ack, action, body, client, respond }) => {
      await ack();
      const request = action.value ? await requests.find(action.value) : undefined;
      if (!request) return tell({ body, client, respond }, { text: unknownRun });
      await openAgain(client, { triggerId: body.trigger_id, userId: body.user.id }, request);
    },
  );

  const openAgain: OpenAgain = async (client, { triggerId, userId }, request, added) => {
    const { channelId, teamId } = request;
    const asker = { teamId, channelId, userId };
    const { title, config, origin } = repeatOf(request);
    const { prompt, context } = splitPrompt(request.prompt);
    const draft = {
      channelId,
      prompt: added?.text ? `${prompt}\n\n${added.text}` : prompt,
      title,
      typed: config,
      isExact: true,
      origin,
      ...(added && { secrets: added.secrets, notices: added.notices }),
    };
    const messages = request.origin?.context?.messages ?? 0;
    const kept = { context, messages, secrets: {}, notices: [], isWanted: true };
    const later = context ? async () => kept : undefined;
    await openForm(client, { triggerId, asker }, draft, later);
  };

  return { openAgain };

  /** The same id for the second of two clicks; undefined when the first has started a run already. */
  async function repeatId(request: RunRequest, userId: string): Promise<string | undefined> {
    const now = Date.now();
    const slot = Math.floor(now / doubleClickMs);
    const idOf = (at: number) => `${request.id}-again-${userId}-${at}`;
    const before = await requests.find(idOf(slot - 1));
    const isDouble = before !== undefined && now - before.acceptedAt < doubleClickMs;
    return isDouble ? undefined : idOf(slot);
  }
}

function repeatOf({ id, teamId, channelId, prompt, title, config, origin }: RunRequest) {
  const threadTs = origin?.threadTs;
  const again: RequestOrigin = {
    kind: 'again',
    again: { requestId: id, changes: [] },
    ...(threadTs && { threadTs }),
    ...(origin?.fields && { fields: origin.fields }),
  };
  return { teamId, channelId, prompt, title, config, origin: again };
}
