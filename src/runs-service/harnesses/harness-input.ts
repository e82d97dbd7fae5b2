import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentConfig, McpServerConfig } from 'runs-client/contract';
import { stringify } from 'smol-toml';
import type { CommandValues, HarnessName } from './agent-command.ts';
import {
  readJsonFile,
  readJsonVariable,
  readTomlFile,
  type Settings,
  tableOf,
} from './own-settings.ts';

/** What an agent gets by variables, and what its command line can name. */
export type HarnessInput = {
  variables: Record<string, string>;
  values: CommandValues;
  /** The servers that weren't handed on, because the environment has its own of the same name. */
  overridden: string[];
};

type Request = {
  config: AgentConfig;
  /** Where its files go: outside the checkout, removed with the run. They hold secrets. */
  folder: string;
  /** What its process gets otherwise. */
  variables: Record<string, string>;
};

/**
 * Translates a run's MCP servers, and its base prompt where there is a place for it, into what each known agent reads,
 * merged into the settings that the environment has for it; those win. No value is on a command line. Nobody is there to
 * approve a tool, and who asked for the run asked for its servers, so their tools are allowed.
 */
export async function writeHarnessInput(
  harness: HarnessName,
  request: Request,
): Promise<HarnessInput> {
  const all = Object.entries(request.config.mcp_servers ?? {});
  const servers = all.filter(([, server]) => isReachable(server));
  if (servers.length === 0 && request.config.base_prompt === undefined) return nothing;
  return writers[harness](request, servers);
}

/** A server by `warp_id` is shared by a service that is not this one. */
export const isReachable = ({ warp_id: shared }: McpServerConfig) => shared === undefined;

type Servers = [name: string, server: McpServerConfig][];

const nothing: HarnessInput = { variables: {}, values: {}, overridden: [] };
/** The letters that all tools take in names. */
const plain = (name: string) => name.replace(/[^A-Za-z0-9_-]/g, '_');

/** Splits servers by whether the environment has its own of the same name. */
function besides(own: Settings, servers: Servers, nameOf = (name: string) => name) {
  const isOwn = ([name]: Servers[number]) => Object.hasOwn(own, nameOf(name));
  return {
    added: servers.filter((server) => !isOwn(server)),
    overridden: servers.filter(isOwn).map(([name]) => name),
  };
}

const writers: Record<HarnessName, (request: Request, servers: Servers) => Promise<HarnessInput>> =
  {
    // https://code.claude.com/docs/en/mcp
    async claude({ folder, variables }, servers) {
      const home = variables['CLAUDE_CONFIG_DIR'] ?? variables['HOME'] ?? folder;
      const own = tableOf((await readJsonFile(join(home, '.claude.json')))['mcpServers']);
      const { added, overridden } = besides(own, servers);
      if (added.length === 0) return { ...nothing, overridden };
      const typed = mapped(added, (server) => ({
        type: server.url === undefined ? 'stdio' : 'http',
        ...server,
      }));
      const file = await writeJson(join(folder, 'claude-mcp.json'), { mcpServers: typed });
      const tools = added.map(([name]) => `mcp__${plain(name)}`).join(',');
      return { variables: {}, values: { mcp_config_file: file, mcp_tools: tools }, overridden };
    },

    // https://developers.openai.com/codex/config-reference
    async codex({ config, folder, variables }, servers) {
      const given = variables['CODEX_HOME'] ?? join(variables['HOME'] ?? folder, '.codex');
      const home = join(folder, 'codex-home');
      await linkAllBut('config.toml', given, home);
      const own = await readTomlFile(join(given, 'config.toml'));
      const ownServers = tableOf(own['mcp_servers']);
      const { added, overridden } = besides(ownServers, servers, plain);
      const instructions = [own['developer_instructions'], config.base_prompt];
      const merged = {
        ...own,
        ...(config.base_prompt !== undefined && {
          developer_instructions: instructions.filter(Boolean).join('\n\n'),
        }),
        mcp_servers: { ...ownServers, ...codexServers(added) },
      };
      await writeFile(join(home, 'config.toml'), stringify(merged), { mode: 0o600 });
      return { variables: { CODEX_HOME: home }, values: {}, overridden };
    },

    // https://geminicli.com/docs/tools/mcp-server
    async gemini({ folder, variables }, servers) {
      if (servers.length === 0) return nothing;
      const givenHome = variables['GEMINI_CLI_HOME'] ?? variables['HOME'] ?? folder;
      const given = join(givenHome, '.gemini');
      const home = join(folder, 'gemini-home');
      await linkAllBut('settings.json', given, join(home, '.gemini'));
      await symlink(join(givenHome, '.env'), join(home, '.env'));
      const own = await readJsonFile(join(given, 'settings.json'));
      const ownServers = tableOf(own['mcpServers']);
      const { added, overridden } = besides(ownServers, servers);
      const mcpServers = mapped(added, ({ url, ...server }) => ({
        ...(url !== undefined && { httpUrl: url }),
        ...server,
        trust: true,
      }));
      // As settings of the user: it skips a file of system settings that isn't owned by root.
      await writeJson(join(home, '.gemini', 'settings.json'), {
        ...own,
        mcpServers: { ...ownServers, ...mcpServers },
      });
      return { variables: { GEMINI_CLI_HOME: home }, values: {}, overridden };
    },

    // https://opencode.ai/docs/config
    async opencode({ variables }, servers) {
      const { AGENT_BASE_PROMPT_FILE: prompt, OPENCODE_CONFIG_CONTENT: text } = variables;
      const content = readJsonVariable('OPENCODE_CONFIG_CONTENT', text);
      const own: Settings = {};
      for (const file of opencodeFiles(variables))
        Object.assign(own, tableOf((await readJsonFile(file))['mcp']));
      const ownContent = tableOf(content['mcp']);
      const { added, overridden } = besides({ ...own, ...ownContent }, servers);
      const instructions = [content['instructions'] ?? [], prompt ?? []].flat();
      // It merges this with every file that it reads; a file of ours would take the place of the operator's.
      const merged = {
        ...content,
        ...(instructions.length > 0 && { instructions }),
        mcp: { ...mapped(added, opencodeServer), ...ownContent },
      };
      const value = JSON.stringify(merged);
      return { variables: { OPENCODE_CONFIG_CONTENT: value }, values: {}, overridden };
    },
  };

/** The files where an operator may have settings for opencode. */
function opencodeFiles({ HOME, XDG_CONFIG_HOME, OPENCODE_CONFIG }: Record<string, string>) {
  const folder = join(XDG_CONFIG_HOME ?? join(HOME ?? '/', '.config'), 'opencode');
  const names = ['config.json', 'opencode.json', 'opencode.jsonc'];
  return [
    ...names.map((name) => join(folder, name)),
    ...(OPENCODE_CONFIG ? [OPENCODE_CONFIG] : []),
  ];
}

/** A folder of the run's own with everything of the given one, but the file that is written anew. */
async function linkAllBut(written: string, given: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(given).catch(() => []))
    if (name !== written) await symlink(join(given, name), join(folder, name));
}

const opencodeServer = ({ command, args, env, url, headers }: McpServerConfig) =>
  url === undefined
    ? { type: 'local', command: [command, ...(args ?? [])], environment: env, enabled: true }
    : { type: 'remote', url, headers, enabled: true };

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
