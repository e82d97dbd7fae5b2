import { createHash } from 'node:crypto';
import type { AgentConfig, Run } from 'runs-client/contract';
import type { RequestOrigin } from '../../store/request-origin.ts';
import type { RunRequest } from '../../store/request-row.ts';
import { earlierRun } from '../runs/lineage.ts';
import { titleFrom } from '../runs/run-start.ts';
import { safeUrl } from '../text/blocks.ts';

/** An earlier run, to be asked for once more. An empty `channelId` means that none is known. */
export type Repeat = {
  /** Names the earlier run within its workspace: short, however often it was repeated. */
  of: string;
  teamId: string;
  channelId: string;
  prompt: string;
  title: string;
  config: AgentConfig;
  origin: RequestOrigin;
  /** What of a thread is quoted in the prompt. */
  context: RequestOrigin['context'];
  /** What the person must know before it is started, in mrkdwn. */
  notices: readonly string[];
};

/** `isElsewhere`: not posted where the earlier one was, since whoever asks may not be there. */
export function repeatOfRequest(
  { id, teamId, channelId, prompt, title, config, origin }: RunRequest,
  isElsewhere: boolean,
): Repeat {
  const threadTs = isElsewhere ? undefined : origin?.threadTs;
  const again: RequestOrigin = {
    kind: 'again',
    again: { requestId: id },
    ...(threadTs && { threadTs }),
    fields: fromEarlier(config),
  };
  return {
    of: shortName(id),
    teamId,
    channelId: isElsewhere ? '' : channelId,
    prompt,
    title,
    config,
    origin: again,
    context: origin?.context,
    notices: [],
  };
}

const fields = ['environment_id', 'model_id', 'skill_spec', 'name', 'base_prompt'] as const;
const withoutServers =
  'The MCP servers of that run are left out: their keys belong to whoever started it. Add yours under _More options_ if the run needs them.';

/** Of a run that was started elsewhere only the service's own words are known. */
export function repeatOfRun(run: Run, teamId: string): Repeat {
  const resolved = run.agent_config;
  const config: AgentConfig = Object.fromEntries(
    fields.flatMap((field) => (resolved?.[field] ? [[field, resolved[field]]] : [])),
  );
  const hasServers = Object.keys(resolved?.mcp_servers ?? {}).length > 0;
  return {
    of: shortName(run.run_id),
    teamId,
    channelId: '',
    prompt: run.prompt,
    title: run.title || titleFrom(run.prompt),
    config,
    origin: { kind: 'again', again: againOf(run), fields: fromEarlier(config) },
    context: undefined,
    notices: hasServers ? [withoutServers] : [],
  };
}

function againOf({ run_id: runId, session_link: session }: Run): RequestOrigin['again'] {
  const link = safeUrl(session);
  return { runId, ...(link && { link }) };
}

const fromEarlier = (config: AgentConfig) =>
  Object.fromEntries(Object.keys(config).map((field) => [field, earlierRun]));

const shortName = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 16);
