/** Keeps MCP server keys with the person who entered them. */
import { isDeepStrictEqual } from 'node:util';
import type { AgentConfig, McpServerConfig } from 'runs-client/contract';
import type { Authority } from '../../requests/authority.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { McpServerReader } from '../people/key-rights.ts';
import { type Asker, ownerOf } from '../people/setting.ts';
import { listPresets } from './presets.ts';
import { readDefaultLayers, runDefaults } from './run-defaults.ts';
import { notShown, withoutSecrets } from './without-secrets.ts';

export type ReadChoices = Pick<Settings, 'readLayers' | 'list'>;

export const hasKeyedServers = ({ mcp_servers: servers }: AgentConfig): boolean =>
  Object.values(servers ?? {}).some(hasKeys);

export const createMcpServerReader = (
  settings: ReadChoices & Pick<Settings, 'read'>,
): McpServerReader => ({
  ofWorkspace: async (teamId) =>
    (await runDefaults.read(settings, ownerOf('workspace', { teamId }))).mcp_servers,
  async usesPersonalKeys(asker, run) {
    if (asker.userId === run.creatorId) return hasKeyedServers(run.config);
    return (await takeOver(settings, asker, run)).left.length > 0;
  },
});

/**
 * Configuration for another person. `left` are names of servers that were removed, because they have someone else's
 * keys.
 */
export type TakenOver = { config: AgentConfig; left: readonly string[] };

/**
 * Prepares a run's configuration for someone who continues, repeats or messages it. The owner of its keys gets it
 * unchanged. Others lose servers with keys, unless their own defaults or presets have the same servers.
 */
export async function takeOver(
  settings: ReadChoices,
  asker: Asker,
  { authority, config }: { authority: Authority; config: AgentConfig },
): Promise<TakenOver> {
  if (asker.userId === authority.keysOf || !hasKeyedServers(config)) return { config, left: [] };
  const [layers, presets] = await Promise.all([
    readDefaultLayers(settings, asker),
    listPresets(settings, asker),
  ]);
  const choices = [...layers, ...presets].flatMap((each) =>
    Object.values(each.config.mcp_servers ?? {}),
  );
  const isTheirs = (server: McpServerConfig) =>
    hasKeys(server) && !choices.some((each) => isDeepStrictEqual(each, server));
  const { mcp_servers: servers = {}, ...others } = config;
  const kept = Object.entries(servers).filter(([, server]) => !isTheirs(server));
  const left = Object.keys(servers).filter((name) => !kept.some(([each]) => each === name));
  return {
    config: { ...others, ...(kept.length > 0 && { mcp_servers: Object.fromEntries(kept) }) },
    left,
  };
}

const hasKeys = (server: McpServerConfig): boolean =>
  JSON.stringify(withoutSecrets(server, true)).includes(notShown);
