import type { CopiesOutcome, FindOutcome, PostOutcome } from '../../outbox/outcomes.ts';
import type { Post } from '../../store/outbox/outbox-row.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { openDirectMessage } from '../posting/direct-message.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { findRunMessage, findRunMessages, type Search } from './message-metadata.ts';
import type { RunMessage } from './render-run-message.ts';
import { createRunMessageWriter, type WriterParts } from './run-message-writer.ts';

type PlaceParts = Search & WriterParts;

/** A duplicate may be suspected again before the first search, so searches go back further. */
const searchMarginMs = 60 * 60_000;

/** A run message is in the channel that was asked for or, if the app can't post there, in the creator's direct messages. */
export function createMessagePlaces(parts: PlaceParts, post: Post, request: RunRequest) {
  const { client, clock } = parts;
  const writer = createRunMessageWriter(parts, request);
  const channels = async () => [
    request.channelId,
    await openDirectMessage(client, request.creatorId),
  ];

  return {
    async post(message: RunMessage): Promise<PostOutcome> {
      if (post.replaced?.repost !== 'direct') {
        const channelId = post.replaced?.channelId ?? request.channelId;
        const inChannel = await writer.post(channelId, message);
        if (inChannel.outcome !== 'refused') return inChannel;
      }
      try {
        const channelId = await openDirectMessage(client, request.creatorId);
        return await writer.post(channelId, message);
      } catch (error) {
        return readSlackFailure(error);
      }
    },

    /** Since the latest try. */
    async find(): Promise<FindOutcome> {
      const sinceMs = post.beganAt ?? clock.fromOwnMs(request.acceptedAt);
      const search = { sinceMs, but: post.replaced?.ts };
      try {
        for (const channelId of await channels()) {
          const place = await findRunMessage(parts, channelId, request, search);
          if (place) return { outcome: 'posted', place };
        }
        return { outcome: 'absent' };
      } catch (error) {
        return readSlackFailure(error);
      }
    },

    async findCopies(): Promise<CopiesOutcome> {
      const suspectedMs = clock.fromOwnMs(post.suspectedAt ?? request.acceptedAt);
      const sinceMs = suspectedMs - searchMarginMs;
      try {
        const places = [];
        for (const channelId of await channels())
          places.push(...(await findRunMessages(parts, channelId, request, sinceMs)));
        return { outcome: 'found', places };
      } catch (error) {
        return readSlackFailure(error);
      }
    },
  };
}
