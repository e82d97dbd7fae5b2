import type { PostOutcome } from '../../outbox/outcomes.ts';
import type { Post } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import {
  type Found,
  findAll,
  findFirst,
  findMarked,
  ifReadable,
} from '../posting/marked-messages.ts';
import { openDirectMessage } from '../posting/post-message.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { messageMark, type Search } from './message-metadata.ts';
import type { RunMessage } from './rendering/render-run-message.ts';
import { createRunMessageWriter, placeIn, type WriterParts } from './run-message-writer.ts';

type PlaceParts = Search & WriterParts;

/** A duplicate may be suspected again before the first search, so searches go back further. */
const searchMarginMs = 60 * 60_000;

/** A run message is in the channel that was asked for or, if the app can't post there, in the creator's direct messages. */
export function createMessagePlaces(parts: PlaceParts, post: Post, request: RunRequest) {
  const { client, clock } = parts;
  const writer = createRunMessageWriter(parts, request);
  const direct = () => openDirectMessage(client, request.creatorId);
  /** An earlier try may have posted it in the channel, where the app can't look. Another one would be a second message. */
  let isLost = false;
  const lose = () => {
    isLost = true;
  };

  async function write(message: RunMessage): Promise<PostOutcome> {
    if (post.replaced?.repost !== 'direct' && !isLost) {
      const channelId = post.replaced?.channelId ?? request.channelId;
      const inChannel = await writer.post(channelId, message);
      if (inChannel.outcome !== 'refused') return inChannel;
    }
    return writer.post(await direct(), message);
  }

  /** Newest first in each channel, without the message that this one replaces. */
  async function* copies(sinceMs: number): Found {
    for (const channelId of [request.channelId, await direct()]) {
      const all = findMarked(client, placeIn(channelId, request), messageMark(request), sinceMs);
      for await (const found of ifReadable(all, lose))
        if (found.ts !== post.replaced?.ts) yield found;
    }
  }

  return {
    post: (message: RunMessage) => write(message).catch(readSlackFailure),

    /** Since the latest try. */
    find: () => findFirst(copies(post.beganAt ?? clock.fromOwnMs(request.acceptedAt))),

    findCopies: () =>
      findAll(copies(clock.fromOwnMs(post.suspectedAt ?? request.acceptedAt) - searchMarginMs)),
  };
}
