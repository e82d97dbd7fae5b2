import type { BlockAction, ButtonAction } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { Listeners } from '../connection/listeners.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { ReadRun } from '../runs/read-run.ts';
import { detailsAction } from '../runs/run-buttons.ts';
import { type RunRef, readRunRef } from '../runs/run-ref.ts';
import { detailsOfRequest, detailsOfRun } from './detailed-run.ts';
import {
  type DetailsPage,
  detailsPageAction,
  readDetailsTab,
  renderDetails,
  renderDetailsMessage,
} from './run-details-view.ts';

type DetailsParts = { requests: Pick<Requests, 'find'>; readRun: ReadRun };

const mostEarlier = 5;

export type OpenDetails = (asked: {
  ref: RunRef;
  triggerId: string;
  teamId: string;
  client: WebClient;
}) => Promise<void>;

/** *Details*, from a run message or a list of runs. Anyone who can see the run may open it. */
export function registerRunDetails(
  app: Listeners,
  { requests, readRun }: DetailsParts,
): { openDetails: OpenDetails } {
  const openDetails: OpenDetails = async ({ ref, triggerId, teamId, client }) => {
    const open = (view: ReturnType<typeof renderDetails>) =>
      client.views.open({ trigger_id: triggerId, view });
    if ('requestId' in ref) {
      await open(await read(teamId, ref, 'overview'));
      return;
    }
    const opened = await open(renderDetailsMessage('⏳ Loading…'));
    await update(client, opened.view?.id, await read(teamId, ref, 'overview'));
  };

  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: detailsAction },
    async ({ ack, action, body, client, context }) => {
      await ack();
      const ref = readRunRef(action.value) ?? { requestId: 'unknown' };
      const asked = { ref, triggerId: body.trigger_id, client };
      await openDetails({ ...asked, teamId: context.teamId ?? '' });
    },
  );

  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: detailsPageAction },
    async ({ ack, action, body, client, context }) => {
      await ack();
      const { view } = body;
      const asked = view && readDetailsTab(view.private_metadata, action.value);
      if (asked) {
        await update(client, view.id, await read(context.teamId ?? '', asked.ref, asked.page));
      }
    },
  );

  async function read(teamId: string, ref: RunRef, page: DetailsPage) {
    const found = await readRun(teamId, ref);
    if ('sentence' in found) return renderDetailsMessage(found.sentence);
    if ('run' in found) return renderDetails(detailsOfRun(found.run), page);
    const { request } = found;
    return renderDetails(detailsOfRequest(request), page, await readEarlier(request));
  }

  /** The runs that this one repeats, the last first. */
  async function readEarlier({ origin }: RunRequest): Promise<RunRequest[]> {
    const earlier: RunRequest[] = [];
    let id = origin?.again?.requestId;
    while (id && earlier.length < mostEarlier) {
      const before = await requests.find(id);
      if (before) earlier.push(before);
      id = before?.origin?.again?.requestId;
    }
    return earlier;
  }

  return { openDetails };
}

/** The modal may have been closed meanwhile. */
async function update(
  client: WebClient,
  viewId: string | undefined,
  view: ReturnType<typeof renderDetails>,
): Promise<void> {
  try {
    await client.views.update({ view_id: viewId ?? '', view });
  } catch (error) {
    if (readSlackFailure(error).reason !== 'not_found') throw error;
  }
}
