import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { RunEntity } from './run-entity.ts';

/** Where the links are: a message, or a draft that is being written. */
type UnfurlPlace = {
  channel: string;
  message_ts: string;
  unfurl_id?: string;
  source?: string;
};

/** One link, as an entity and as blocks for a Slack that doesn't take entities. */
export type LinkPreview = { url: string; entity: RunEntity; blocks: KnownBlock[] };

type Unfurl = (place: UnfurlPlace, previews: readonly LinkPreview[]) => Promise<void>;

/** Shows previews as work objects. Apps that don't declare them in their manifest show cards of blocks. */
export function createUnfurl(client: Pick<WebClient, 'chat'>, logger: Logger): Unfurl {
  let isLogged = false;

  function note(reason: string): void {
    if (isLogged) return;
    isLogged = true;
    logger.info(
      { reason },
      "Slack doesn't take work objects, so links to runs are shown as blocks",
    );
  }

  return async (place, previews) => {
    const at = whereOf(place);
    const entities = previews.map(({ entity }) => entity);
    const refusal = await refusalOf(client.chat.unfurl({ ...at, metadata: { entities } }));
    if (!refusal) return;
    const unfurls = Object.fromEntries(previews.map(({ url, blocks }) => [url, { blocks }]));
    // If the message is gone or changed, or its author removed the preview, this is refused too.
    if (!(await refusalOf(client.chat.unfurl({ ...at, unfurls })))) note(refusal);
  };
}

function whereOf({ channel, message_ts: ts, unfurl_id: id, source }: UnfurlPlace) {
  return source === 'composer' && id !== undefined
    ? ({ unfurl_id: id, source: 'composer' } as const)
    : { channel, ts };
}

/** Slack also answers `ok` with a warning, and shows nothing. */
async function refusalOf(
  call: ReturnType<WebClient['chat']['unfurl']>,
): Promise<string | undefined> {
  try {
    const { warning } = await call;
    return warning?.includes('metadata') ? warning : undefined;
  } catch (error) {
    const failure = readSlackFailure(error);
    if (failure.outcome === 'later') throw error;
    return failure.reason;
  }
}
