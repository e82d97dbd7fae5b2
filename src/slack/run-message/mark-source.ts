import type { WebClient } from '@slack/web-api';
import { isUnknown } from '../../requests/run-progress.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { startedReaction } from '../posting/source-message.ts';
import { hasFailed } from './rendering/run-trouble.ts';

const failedReaction = 'x';
const unknownReaction = 'grey_question';

/** Adds a reaction for the end to the message that asked for the run. Safe to repeat. */
export async function markEnd(
  client: Pick<WebClient, 'reactions'>,
  request: RunRequest,
): Promise<void> {
  const source = request.origin?.source;
  if (!source || (!request.run && request.step !== 'not_started')) return;
  const place = { channel: source.channelId, timestamp: source.ts };
  const name = reactionFor(request);
  // Reactions are optional: the message may be gone, inaccessible, or marked already.
  await client.reactions.add({ ...place, name }).catch(readSlackFailure);
  for (const other of earlierReactions(request).filter((each) => each !== name))
    await client.reactions.remove({ ...place, name: other }).catch(readSlackFailure);
}

/** From earlier states: a run that wasn't started may have been tried again since. */
const earlierReactions = ({ followedSince }: RunRequest) => [
  ...[startedReaction, failedReaction],
  ...(followedSince === null ? [] : [unknownReaction]),
];

function reactionFor(request: RunRequest): string {
  if (isUnknown(request.problem)) return unknownReaction;
  if (hasFailed(request) || request.step === 'not_started') return failedReaction;
  return request.run?.state === 'SUCCEEDED' ? 'white_check_mark' : 'no_entry_sign';
}
