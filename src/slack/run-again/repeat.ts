import { createHash } from 'node:crypto';
import type { AgentConfig, Run } from 'runs-client/contract';
import { operatorConnection, serviceOf } from '../../requests/connection.ts';
import type { RequestOrigin } from '../../requests/origin.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { TakenOver } from '../configuration/keyed-servers.ts';
import { earlierRun } from '../runs/showing/earlier-run.ts';
import { titleFrom } from '../runs/showing/run-label.ts';
import type { ForeignRun } from '../runs/showing/run-rows.ts';
import { limits, safeUrl } from '../text/escape-text.ts';

/** An earlier run to start again. `channelId` is empty if the channel is unknown. */
export type EarlierRun = {
  /** Hash that identifies the earlier run within its workspace. Unlike an ID, it doesn't grow with each repetition. */
  of: string;
  teamId: string;
  channelId: string;
  prompt: string;
  /** Text from Slack that is sent after the prompt. */
  context: string | null;
  title: string;
  config: AgentConfig;
  origin: RequestOrigin;
  /** The Slack conversation that `context` and files are from. */
  sourceId?: string;
  /** Number of messages in `context`. */
  contextSize: RequestOrigin['context'];
  /** Notices to show the person before the run starts, as mrkdwn. */
  notices: readonly string[];
};

/**
 * Returns the data for starting a request's run again.
 * @param isElsewhere true if the person may not be in the run's channel; the new run is then posted in their direct
 * messages
 */
export function repeatOfRequest(
  request: RunRequest,
  { config, left }: TakenOver,
  { isElsewhere }: { isElsewhere: boolean },
): EarlierRun {
  const { id, teamId, channelId, prompt, context, title, origin } = request;
  const threadTs = isElsewhere ? undefined : origin?.threadTs;
  const again: RequestOrigin = {
    kind: 'again',
    again: { requestId: id },
    ...(threadTs && { threadTs, ...(origin?.ownsThread && { ownsThread: true }) }),
    ...(origin?.conversation && { conversation: origin.conversation }),
    fields: fromEarlier(config),
    ...(origin?.files && { files: origin.files }),
  };
  return {
    of: shortName(id),
    teamId,
    channelId: isElsewhere ? '' : channelId,
    sourceId: channelId,
    prompt,
    context,
    title,
    config,
    origin: again,
    contextSize: origin?.context,
    notices: left.length > 0 ? [withoutServers] : [],
  };
}

const fields = ['environment_id', 'model_id', 'skill_spec', 'name', 'base_prompt'] as const;
const withoutServers =
  'MCP servers with keys are left out, because the keys belong to the person who started the earlier run. Add your own below.';

/** Returns the data for starting a run from outside Slack again. Only the runs service's data is known. */
export function repeatOfRun(
  { run, connectionId }: ForeignRun,
  { teamId, connection }: { teamId: string; connection: string | undefined },
): EarlierRun {
  const resolved = run.agent_config;
  const config: AgentConfig = Object.fromEntries(
    fields.flatMap((field) => (resolved?.[field] ? [[field, resolved[field]]] : [])),
  );
  // Name the connection unless it's the operator's, which is the default.
  if (connection !== operatorConnection) config['connection'] = connection;
  const hasServers = Object.keys(resolved?.mcp_servers ?? {}).length > 0;
  return {
    of: shortName(`${serviceOf(connectionId)} ${run.run_id}`),
    teamId,
    channelId: '',
    prompt: run.prompt,
    context: null,
    title: run.title || titleFrom(run.prompt),
    config,
    origin: { kind: 'again', again: againOf(run), fields: fromEarlier(config) },
    contextSize: undefined,
    notices: hasServers ? [withoutServers] : [],
  };
}

function againOf({ run_id: runId, session_link: session }: Run): RequestOrigin['again'] {
  const link = safeUrl(session);
  // Leave out a longer link, because no message would show it and the form has no room for it.
  return { runId, ...(link && link.length <= limits.linkedUrl && { link }) };
}

const fromEarlier = (config: AgentConfig) =>
  Object.fromEntries(Object.keys(config).map((field) => [field, earlierRun]));

const shortName = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 16);
