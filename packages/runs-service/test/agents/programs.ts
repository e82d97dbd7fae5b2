import type { ModelApi } from '../../src/environments/models-config.ts';
import type { CommandTemplate, HarnessName } from '../../src/harnesses/agent-command.ts';

/** Agent program, and its setup by an operator. */
export type AgentProgram = {
  name: string;
  environment:
    | { harness: HarnessName }
    | { harness: 'acp'; command: CommandTemplate; mode?: string; keep?: string[] };
  /** Name of the npm package. */
  package: string;
  model: string;
  /** Model that it asks instead, if it doesn't offer `model`. */
  ownModel?: string;
  /** API of the provider that the program calls through the model gateway. */
  api: ModelApi;
  /** Variables and setup commands that an operator adds to the environment. */
  added?: { variables?: Record<string, string>; setup?: string[][] };
  /** Checks that have to fail, with the reasons. */
  lacks?: Record<string, string>;
};

const named = (harness: HarnessName) => ({ name: harness, environment: { harness } });

/** Returns a setup command, for programs that only read their settings from a run's home. */
const writeSettings = (path: string, content: string) => [
  ['sh', '-c', 'mkdir -p "$(dirname ~/"$0")" && printf %s "$1" > ~/"$0"', path, content],
];

const geminiSettings = JSON.stringify({
  security: { auth: { selectedType: 'gemini-api-key' } },
});

const programs = {
  claude: {
    ...named('claude'),
    package: '@anthropic-ai/claude-code',
    model: 'claude-sonnet-4-5',
    api: 'anthropic',
    // Without this, the model has to search for most tools before it can call them.
    added: { variables: { ENABLE_TOOL_SEARCH: 'false' } },
  },
  codex: {
    ...named('codex'),
    package: '@openai/codex',
    model: 'gpt-5.5',
    api: 'openai',
  },
  gemini: {
    ...named('gemini'),
    package: '@google/gemini-cli',
    model: 'gemini-2.5-pro',
    api: 'gemini',
  },
  opencode: {
    ...named('opencode'),
    package: 'opencode-ai',
    model: 'anthropic/claude-sonnet-4-5',
    api: 'anthropic',
  },
} as const satisfies Record<HarnessName, AgentProgram>;

/** Settings of Codex for the model gateway, as docs/agent-commands.md shows them. */
const codexSettings = `model_provider = "gateway"
web_search = "disabled"
[model_providers.gateway]
name = "gateway"
base_url = "http://127.0.0.1:3129/openai/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
supports_websockets = false
`;

/** Settings of OpenCode for the model gateway. It reads the token from a variable. */
const opencodeSettings = JSON.stringify({
  provider: {
    anthropic: {
      options: {
        baseURL: 'http://127.0.0.1:3129/anthropic/v1',
        apiKey: '{env:ANTHROPIC_API_KEY}',
      },
    },
  },
});

export const agentPrograms = {
  ...programs,
  claudeAcp: {
    ...programs.claude,
    name: 'claude-agent-acp',
    ownModel: 'claude-opus-5-5',
    package: '@agentclientprotocol/claude-agent-acp',
    environment: {
      harness: 'acp',
      command: ['claude-agent-acp'],
      mode: 'bypassPermissions',
      keep: ['.claude/projects'],
    },
    lacks: {
      'The prompt, the model and the base prompt arrive': 'it only offers models of its list',
      'Its plan is shown': 'it gives its model no tool for a plan',
    },
  },
  codexAcp: {
    ...programs.codex,
    name: 'codex-acp',
    package: '@zed-industries/codex-acp',
    environment: {
      harness: 'acp',
      command: ['codex-acp'],
      mode: 'full-access',
      keep: ['.codex/sessions'],
    },
    added: { setup: writeSettings('.codex/config.toml', codexSettings) },
    lacks: {
      'It waits as long as a rate limit says': 'it fails at the first answer 429',
    },
  },
  geminiAcp: {
    ...programs.gemini,
    name: 'gemini --acp',
    environment: {
      harness: 'acp',
      command: ['gemini', '--acp', '--skip-trust', '--approval-mode=yolo', ['--model={model}']],
    },
    added: { setup: writeSettings('.gemini/settings.json', geminiSettings) },
    lacks: {
      'Its plan is shown': 'it reports how many items its plan has, but not the items',
      'A next run of the conversation remembers a word':
        "it doesn't find the session of an earlier process",
    },
  },
  opencodeAcp: {
    ...programs.opencode,
    name: 'opencode acp',
    environment: {
      harness: 'acp',
      command: ['opencode', 'acp'],
      keep: ['opencode.db', 'opencode.db-wal', 'storage'].map(
        (name) => `.local/share/opencode/${name}`,
      ),
    },
    added: { variables: { OPENCODE_CONFIG_CONTENT: opencodeSettings } },
  },
} as const satisfies Record<string, AgentProgram>;
