import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify, type TomlValue } from 'smol-toml';
import type { AgentConfig, McpServerConfig } from '../runs-api/contract.ts';
import type { CommandValues, HarnessName } from './agent-command.ts';

/** What an agent is told by variables, and what its command line can name. */
export type HarnessInput = { variables: Record<string, string>; values: CommandValues };

type Request = {
  config: AgentConfig;
  /** Where its files go: outside the checkout, removed with the run. They hold secrets. */
  folder: string;
  /** What its process gets otherwise. */
  variables: Record<string, string>;
};

/**
 * Translates a run's MCP servers, and its base prompt where there is a place for it, into what each known agent reads.
 * No value is on a command line. Nobody is there to approve a tool, and who asked for the run asked for its servers, so
 * their tools are allowed.
 */
export async function writeHarnessInput(
  harness: HarnessName,
  request: Request,
): Promise<HarnessInput> {
  const all = Object.entries(request.config.mcp_servers ?? {});
  const servers = all.filter(([, server]) => isReachable(server));
  return writers[harness](request, servers);
}

/** A server by `warp_id` is shared by a service that is not this one. */
export const isReachable = ({ warp_id: shared }: McpServerConfig) => shared === undefined;

type Servers = [name: string, server: McpServerConfig][];

const nothing: HarnessInput = { variables: {}, values: {} };
/** The letters that all tools take in names. */
const plain = (name: string) => name.replace(/[^A-Za-z0-9_-]/g, '_');

const writers: Record<HarnessName, (request: Request, servers: Servers) => Promise<HarnessInput>> =
  {
    // https://code.claude.com/docs/en/mcp
    async claude({ folder }, servers) {
      if (servers.length === 0) return nothing;
      const typed = mapped(servers, (server) => ({
        type: server.url === undefined ? 'stdio' : 'http',
        ...server,
      }));
      const file = await writeJson(join(folder, 'claude-mcp.json'), { mcpServers: typed });
      const tools = servers.map(([name]) => `mcp__${plain(name)}`).join(',');
      return { variables: {}, values: { mcp_config_file: file, mcp_tools: tools } };
    },

    // https://developers.openai.com/codex/config-reference
    async codex({ config, folder, variables }, servers) {
      if (servers.length === 0 && config.base_prompt === undefined) return nothing;
      const home = join(folder, 'codex-home');
      await mkdir(home, { mode: 0o700 });
      const given = variables['CODEX_HOME'] ?? join(variables['HOME'] ?? folder, '.codex');
      for (const name of await readdir(given).catch(() => []))
        if (name !== 'config.toml') await symlink(join(given, name), join(home, name));
      const own = parse(await readFile(join(given, 'config.toml'), 'utf8').catch(() => ''));
      const merged = {
        ...own,
        ...(config.base_prompt !== undefined && { developer_instructions: config.base_prompt }),
        mcp_servers: { ...tableOf(own['mcp_servers']), ...codexServers(servers) },
      };
      await writeFile(join(home, 'config.toml'), stringify(merged), { mode: 0o600 });
      return { variables: { CODEX_HOME: home }, values: {} };
    },

    // https://geminicli.com/docs/tools/mcp-server
    async gemini({ folder }, servers) {
      if (servers.length === 0) return nothing;
      const mcpServers = mapped(servers, ({ url, ...server }) => ({
        ...(url !== undefined && { httpUrl: url }),
        ...server,
        trust: true,
      }));
      const file = await writeJson(join(folder, 'gemini-settings.json'), { mcpServers });
      return { variables: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: file }, values: {} };
    },

    // https://opencode.ai/docs/config
    async opencode({ config, folder, variables }, servers) {
      if (servers.length === 0 && config.base_prompt === undefined) return nothing;
      const prompt = variables['AGENT_BASE_PROMPT_FILE'];
      const file = await writeJson(join(folder, 'opencode.json'), {
        $schema: 'https://opencode.ai/config.json',
        ...(prompt !== undefined && { instructions: [prompt] }),
        mcp: mapped(servers, ({ command, args, env, url, headers }) =>
          url === undefined
            ? {
                type: 'local',
                command: [command, ...(args ?? [])],
                environment: env,
                enabled: true,
              }
            : { type: 'remote', url, headers, enabled: true },
        ),
      });
      return { variables: { OPENCODE_CONFIG: file }, values: {} };
    },
  };

const mapped = (servers: Servers, translate: (server: McpServerConfig) => object) =>
  Object.fromEntries(servers.map(([name, server]) => [name, translate(server)]));

async function writeJson(file: string, content: object): Promise<string> {
  await writeFile(file, JSON.stringify(content, null, 2), { mode: 0o600 });
  return file;
}

const codexServers = (servers: Servers) =>
  Object.fromEntries(
    servers.map(([name, { command, args, env, url, headers }]) => [
      plain(name),
      { command, args, env, url, http_headers: headers, default_tools_approval_mode: 'approve' },
    ]),
  );

const tableOf = (value: TomlValue | undefined) =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date) ? value : {};
