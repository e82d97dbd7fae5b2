import type { Logger } from 'base/logger';
import { z } from 'zod';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { OutboxRow, PostPlace } from '../../store/outbox/outbox-row.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { Afterwards } from '../connection/running-work.ts';
import { requestOfControls } from './message-buttons.ts';

const clickSchema = z.looseObject({
  type: z.literal('block_actions'),
  channel: z.looseObject({ id: z.string() }),
  message: z.looseObject({
    ts: z.string(),
    // Blocks of the message. A client can forge the block ID of a click, but not the blocks that the app posted.
    blocks: z.array(z.looseObject({ block_id: z.string().optional() })),
  }),
});

/**
 * Removes a stray run message when someone clicks in it. Slack posted it in a channel that the app can't read, and the
 * response was lost. So another message replaced it. See docs/architecture.md.
 */
export function registerStrayMessages(
  app: Pick<Listeners, 'hear'>,
  deps: {
    outbox: Pick<Outbox, 'find'>;
    remove(place: PostPlace): Promise<object>;
    afterwards: Afterwards;
    logger: Logger;
  },
): void {
  const { outbox, remove, afterwards, logger } = deps;
  app.hear((body, teamId) => {
    // Skip other deliveries early, because most aren't clicks.
    if (!('type' in body) || body.type !== 'block_actions') return;
    const { data } = clickSchema.safeParse(body);
    const requestId = data && requestIn(data.message);
    if (!data || requestId === undefined) return;
    const clicked = { channelId: data.channel.id, ts: data.message.ts };
    afterwards(async () => {
      const post = await outbox.find(requestId);
      if (post?.teamId !== teamId || !isStray(post, clicked)) return;
      const removed = await remove(clicked);
      logger.info({ post: post.id, ...clicked, ...removed }, 'a stray run message was clicked');
    });
  });
}

const requestIn = ({ blocks }: z.infer<typeof clickSchema>['message']): string | undefined =>
  blocks.map(({ block_id: id = '' }) => requestOfControls(id)).find((id) => id !== undefined);

/**
 * Returns true if the clicked message is neither the request's run message nor the message that it replaces. Returns
 * false if the run message has no known address.
 */
const isStray = ({ place, replaced }: OutboxRow, clicked: PostPlace): boolean =>
  place !== null && !isSame(place, clicked) && (replaced === null || !isSame(replaced, clicked));

const isSame = (one: PostPlace, other: PostPlace): boolean =>
  one.channelId === other.channelId && one.ts === other.ts;
