import type { AgentConfig } from 'runs-client/contract';
import { ownAuthority } from '../../../requests/authority.ts';
import type { Settings } from '../../../store/people/settings.ts';
import { presetGone } from '../../configuration/presets.ts';
import {
  connectionNameOf,
  findEnvironmentError,
  noSuchConnection,
  type RunConnections,
} from '../../configuration/run-connections.ts';
import type { Rights } from '../../people/rights.ts';
import type { Asker } from '../../people/setting.ts';
import type { CheckPosting } from '../../posting/channel-checks.ts';
import { plainWords } from '../../text/typed-text.ts';
import { resolveAutomation } from '../automation-config.ts';
import type { AutomationRights } from '../automation-rights.ts';
import type { AutomationAnswers, Errors } from './read-automation.ts';

type Deps = {
  settings: Pick<Settings, 'readLayers' | 'list'>;
  connections: Pick<RunConnections, 'catalogFor' | 'find'>;
  automationRights: Pick<AutomationRights, 'denyCreate' | 'maxStartsPerHour'>;
  promptRights: Pick<Rights, 'admit'>;
  checkPosting: CheckPosting;
  ackWaitMs: number;
};

export type CheckAutomation = (
  asker: Asker,
  answers: Pick<AutomationAnswers, 'channelId' | 'definition'>,
) => Promise<Errors>;

/**
 * Creates the check of an automation that someone wants to save and own. Returns an error in plain text for each field
 * that can't be accepted.
 */
export function createAutomationCheck(deps: Deps): CheckAutomation {
  const { settings, connections, automationRights, promptRights, checkPosting, ackWaitMs } = deps;
  return async ({ teamId, userId }, { channelId, definition }) => {
    const owner = { teamId, userId, channelId };
    const { kind } = definition.trigger;
    // Check everything in parallel, because Slack waits only three seconds.
    const [denial, closed, most, config] = await Promise.all([
      automationRights.denyCreate(owner, channelId, kind),
      checkPosting(channelId),
      automationRights.maxStartsPerHour(owner, channelId),
      resolveAutomation(settings, owner, definition),
    ]);
    const channel = denial ?? closed;
    return {
      ...(config ? await checkConfig(owner, config.config) : { preset: presetGone }),
      ...(channel && { channel: plainWords(channel) }),
      ...(most !== undefined &&
        most < definition.startsPerHour && {
          starts_per_hour: `A rule allows at most ${most} here.`,
        }),
    };
  };

  async function checkConfig(owner: Asker, config: AgentConfig): Promise<Errors> {
    const { teamId, userId, channelId } = owner;
    const name = connectionNameOf(config);
    const [admission, environment, serviceId] = await Promise.all([
      promptRights.admit({ teamId, authority: ownAuthority(userId), channelId, config }),
      findEnvironmentError({ connections, ackWaitMs }, owner, config),
      connections.find(name),
    ]);
    if (!serviceId) return { connection: plainWords(noSuchConnection(name ?? '')) };
    if (environment) return { environment_id: environment };
    if (!('denial' in admission)) return {};
    const { field, sentence } = admission.denial;
    return { [field && field !== 'mcp_servers' ? field : 'prompt']: plainWords(sentence) };
  }
}
