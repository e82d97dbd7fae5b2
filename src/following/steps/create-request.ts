import type { CreateRunRequest, Run } from 'runs-client/contract';
import { quotedContext } from 'runs-client/prompt-marks';
import { continuedIn } from '../../requests/authority.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import { unaccepted } from './attach-files.ts';

const slackTeamKey = 'slack_team';

/**
 * Returns true if the run was started from Slack. Another bot may have started it, or its request may have been
 * deleted.
 */
export const isStartedInSlack = ({ metadata }: Pick<Run, 'metadata'>): boolean =>
  metadata?.[slackTeamKey] !== undefined;

/** Returns the body of the API call that creates the run, without files. */
export function createRequestOf(request: RunRequest): CreateRunRequest {
  // Leave out `connection`, because only the app uses this field.
  const { connection: _, ...config } = request.config;
  const conversation = continuedIn(request.origin?.conversation, request);
  return {
    prompt: withUnsentFiles(joinPrompt(request.prompt, request.context), request),
    title: request.title,
    config,
    ...(conversation && { conversation_id: conversation.id }),
    metadata: {
      [slackTeamKey]: request.teamId,
      slack_user: request.creatorId,
      slack_channel: request.channelId,
    },
  };
}

/** Returns the prompt, followed by the text from Slack. */
export const joinPrompt = (prompt: string, context: string | null): string =>
  context ? [prompt, quotedContext, context].join('\n\n') : prompt;

/**
 * Adds notes about missing files to the prompt. The notes are stored before the call, so repeated calls send the same
 * prompt.
 */
function withUnsentFiles(
  prompt: string,
  { origin, startNotes }: Pick<RunRequest, 'origin' | 'startNotes'>,
): string {
  const names = (origin?.files ?? []).map(({ name }) => name);
  const unsent = (startNotes ?? []).filter(
    (note) => note === unaccepted || names.some((name) => note.startsWith(`${name} `)),
  );
  return names.length > 0 && unsent.length > 0 ? `${prompt}\n\n[${unsent.join(' ')}]` : prompt;
}
