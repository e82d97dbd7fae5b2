import { join } from 'node:path';
import type { AgentConfig, McpServerConfig } from 'runs-client/contract';
import { stringify } from 'smol-toml';
import type { CommandValues, HarnessName } from './agent-command.ts';
import { type AgentModels, usualModelVariables } from './model-input.ts';
import { claudeModels, codexModels, geminiModels, opencodeModels } from './model-settings.ts';
import {
  type OwnFiles,
  readJsonFile,
  readJsonVariable,
  readTomlFile,
  type Settings,
  tableOf,
} from './own-settings.ts';

type HarnessInput = {
  /** Variables to add to those of the agent's process. */
  variables: Record<string, string>;
  /** Values to add to those for the agent's command line. */
  values: CommandValues;
  /** Names of the servers that were skipped, because the environment has servers with the same names. */
  overridden: string[];
};

/**
 * Run's folder for the agent's input files, which can contain secrets. They're outside the checkout, and are deleted
 * with the run. The functions return paths as the agent sees them.
 */
type InputFolder = {
  inside: string;
  write(name: string, content: string): Promise<string>;
  link(name: string, target: string): Promise<void>;
  makeFolder(name: string): Promise<string>;
};

type Request = {
  config: AgentConfig;
  folder: InputFolder;
  variables: Record<string, string>;
  own: OwnFiles;
  /** Model gateway, if the environment has `models`. */
  models: AgentModels | undefined;
};

/**
 * Converts a run's MCP servers and the address of the model gateway into settings of a known agent. The environment's
 * own servers and settings have priority, except for the address. Keys are never on a command line. All tools of the
 * servers are allowed, because no one can approve them during a run.
 */
export async function writeHarnessInput(
  harness: HarnessName,
  request: Request,
): Promise<HarnessInput> {
  const all = Object.entries(request.config.mcp_servers ?? {});
  const servers = all.filter(([, server]) => isSupported(server));
  return writers[harness](request, servers);
}

/** Returns false for a server with a `warp_id`, which only another service knows. */
export const isSupported = ({ warp_id: shared }: McpServerConfig) => shared === undefined;

type Servers = [name: string, server: McpServerConfig][];

const safeName = (name: string) => name.replace(/[^A-Za-z0-9_-]/g, '_');

/** Separates the servers to add from those that the environment already has under the same name. */
function split(own: Settings, servers: Servers, nameOf = (name: string) => name) {
  const isOwn = ([name]: Servers[number]) => Object.hasOwn(own, nameOf(name));
  return {
    added: servers.filter((server) => !isOwn(server)),
    overridden: servers.filter(isOwn).map(([name]) => name),
  };
}

const writers: Record<HarnessName, (request: Request, servers: Servers) => Promise<HarnessInput>> =
  {
    // Settings are documented at https://code.claude.com/docs/en/mcp
    async claude({ folder, variables, own, models }, servers) {
      const home = variables['CLAUDE_CONFIG_DIR'] ?? variables['HOME'] ?? folder.inside;
      const { mcpServers } = await readJsonFile(own, join(home, '.claude.json'));
      const { added, overridden } = split(tableOf(mcpServers), servers);
      // Use one tool for the plan. By default, several tools each keep a part of it.
      const tasks = { CLAUDE_CODE_ENABLE_TASKS: variables['CLAUDE_CODE_ENABLE_TASKS'] ?? '0' };
      const gateway = models && claudeModels(models, variables);
      const settingsFile =
        gateway && (await folder.write('input/claude-settings.json', json(gateway.settings)));
      const settings = { ...tasks, ...gateway?.variables };
      const values = { ...(settingsFile !== undefined && { settings_file: settingsFile }) };
      if (added.length === 0) return { variables: settings, values, overridden };
      const typed = mapped(added, (server) => ({
        type: server.url === undefined ? 'stdio' : 'http',
        ...server,
      }));
      const file = await folder.write('input/claude-mcp.json', json({ mcpServers: typed }));
      const tools = added.map(([name]) => `mcp__${safeName(name)}`).join(',');
      return {
        variables: settings,
        values: { ...values, mcp_config_file: file, mcp_tools: tools },
        overridden,
      };
    },

    // Settings are documented at https://developers.openai.com/codex/config-reference
    async codex({ folder, variables, own, models }, servers) {
      const given = variables['CODEX_HOME'] ?? join(variables['HOME'] ?? folder.inside, '.codex');
      const home = await linkAllBut('config.toml', given, folder, 'input/codex-home', own);
      const settings = await readTomlFile(own, join(given, 'config.toml'));
      const ownServers = tableOf(settings['mcp_servers']);
      const { added, overridden } = split(ownServers, servers, safeName);
      const gateway = models && codexModels(models, variables, settings);
      const merged = {
        ...(gateway?.settings ?? settings),
        mcp_servers: { ...ownServers, ...codexServers(added) },
        // Turn on the plan, which is off by default.
        tools: { update_plan: { enabled: true }, ...tableOf(settings['tools']) },
      };
      await folder.write('input/codex-home/config.toml', stringify(merged));
      return {
        variables: { CODEX_HOME: home, ...gateway?.variables },
        values: {},
        overridden,
      };
    },

    // Settings are documented at https://geminicli.com/docs/tools/mcp-server
    async gemini({ folder, variables, own, models }, servers) {
      const givenHome = variables['GEMINI_CLI_HOME'] ?? variables['HOME'] ?? folder.inside;
      const given = join(givenHome, '.gemini');
      const home = join(folder.inside, 'input/gemini-home');
      await linkAllBut('settings.json', given, folder, 'input/gemini-home/.gemini', own);
      await folder.link('input/gemini-home/.env', join(givenHome, '.env'));
      const settings = await readJsonFile(own, join(given, 'settings.json'));
      const ownServers = tableOf(settings['mcpServers']);
      const { added, overridden } = split(ownServers, servers);
      const mcpServers = mapped(added, ({ url, ...server }) => ({
        ...(url !== undefined && { httpUrl: url }),
        ...server,
        trust: true,
      }));
      // Write user settings, because Gemini ignores system settings that root doesn't own.
      const merged = {
        ...(models ? geminiModels(models, settings) : settings),
        mcpServers: { ...ownServers, ...mcpServers },
      };
      await folder.write('input/gemini-home/.gemini/settings.json', json(merged));
      return {
        variables: {
          GEMINI_CLI_HOME: home,
          ...(models && usualModelVariables(models, variables)),
        },
        values: {},
        overridden,
      };
    },

    // Settings are documented at https://opencode.ai/docs/config
    async opencode({ variables, own, models }, servers) {
      const { OPENCODE_CONFIG_CONTENT: text } = variables;
      const content = readJsonVariable('OPENCODE_CONFIG_CONTENT', text);
      const ownServers: Settings = {};
      for (const file of opencodeFiles(variables))
        Object.assign(ownServers, tableOf((await readJsonFile(own, file))['mcp']));
      const ownContent = tableOf(content['mcp']);
      const { added, overridden } = split({ ...ownServers, ...ownContent }, servers);
      // Put the settings in a variable, which OpenCode merges with its files. A settings file would replace the
      // operator's.
      const gateway = models && opencodeModels(models, variables, content);
      const merged = {
        ...(gateway?.settings ?? content),
        mcp: { ...mapped(added, opencodeServer), ...ownContent },
      };
      const value = JSON.stringify(merged);
      return {
        variables: { OPENCODE_CONFIG_CONTENT: value, ...gateway?.variables },
        values: {},
        overridden,
      };
    },
  };

/** Returns the files in which an operator can have settings for OpenCode. */
function opencodeFiles({ HOME, XDG_CONFIG_HOME, OPENCODE_CONFIG }: Record<string, string>) {
  const folder = join(XDG_CONFIG_HOME ?? join(HOME ?? '/', '.config'), 'opencode');
  const names = ['config.json', 'opencode.json', 'opencode.jsonc'];
  return [
    ...names.map((name) => join(folder, name)),
    ...(OPENCODE_CONFIG ? [OPENCODE_CONFIG] : []),
  ];
}

/**
 * Creates a folder with links to everything in the operator's folder, except for one file. Returns the new folder's
 * path.
 */
async function linkAllBut(
  excluded: string,
  given: string,
  folder: InputFolder,
  into: string,
  own: OwnFiles,
): Promise<string> {
  for (const name of await own.list(given))
    if (name !== excluded) await folder.link(join(into, name), join(given, name));
  return folder.makeFolder(into);
}

const opencodeServer = ({ command, args, env, url, headers }: McpServerConfig) =>
  url === undefined
    ? { type: 'local', command: [command, ...(args ?? [])], environment: env, enabled: true }
    : { type: 'remote', url, headers, enabled: true };

const mapped = (servers: Servers, translate: (server: McpServerConfig) => object) =>
  Object.fromEntries(servers.map(([name, server]) => [name, translate(server)]));

const json = (content: object) => JSON.stringify(content, null, 2);

const codexServers = (servers: Servers) =>
  Object.fromEntries(
    servers.map(([name, { command, args, env, url, headers }]) => [
      safeName(name),
      { command, args, env, url, http_headers: headers, default_tools_approval_mode: 'approve' },
    ]),
  );

/** MCP servers that requests can add: none, servers with a URL, or also programs that run with the agent. */
export type McpPolicy = 'none' | 'urls' | 'any';

const isAllowed = ({ command }: McpServerConfig, policy: McpPolicy) =>
  policy === 'any' || (policy === 'urls' && command === undefined);

/** Returns the configuration with only the MCP servers that the policy allows, and the names of the denied ones. */
export function withAllowedServers(
  config: AgentConfig,
  policy: McpPolicy = 'urls',
): { config: AgentConfig; denied: string[] } {
  const all = Object.entries(config.mcp_servers ?? {});
  const allowed = all.filter(([, server]) => isAllowed(server, policy));
  const denied = all.filter((each) => !allowed.includes(each)).map(([name]) => name);
  if (denied.length === 0) return { config, denied };
  return { config: { ...config, mcp_servers: Object.fromEntries(allowed) }, denied };
}
