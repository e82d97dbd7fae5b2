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
  /** Name of the variable with the key. */
  keyName: string;
  /**
   * Returns the settings for another model server than the vendor's. `write` makes a file that the program sees, and
   * returns its folder.
   */
  leadTo(
    url: string,
    write: (name: string, content: string) => string,
  ): { variables: Record<string, string>; read_only?: string[]; setup?: string[][] };
  /** Checks that have to fail, with the reasons. */
  lacks?: Record<string, string>;
};

const named = (harness: HarnessName) => ({ name: harness, environment: { harness } });

const geminiSettings = JSON.stringify({
  security: { auth: { selectedType: 'gemini-api-key' } },
});

const programs = {
  claude: {
    ...named('claude'),
    package: '@anthropic-ai/claude-code',
    model: 'claude-sonnet-4-5',
    keyName: 'ANTHROPIC_API_KEY',
    // Without this, the model has to search for most tools before it can call them.
    leadTo: (url) => ({ variables: { ANTHROPIC_BASE_URL: url, ENABLE_TOOL_SEARCH: 'false' } }),
  },
  codex: {
    ...named('codex'),
    package: '@openai/codex',
    model: 'gpt-5.5',
    keyName: 'CODEX_API_KEY',
    leadTo(url, write) {
      const folder = write('config.toml', `openai_base_url = "${url}/v1"\n`);
      return { variables: { CODEX_HOME: folder }, read_only: [folder] };
    },
  },
  gemini: {
    ...named('gemini'),
    package: '@google/gemini-cli',
    model: 'gemini-2.5-pro',
    keyName: 'GEMINI_API_KEY',
    leadTo(url, write) {
      const folder = write('.gemini/settings.json', geminiSettings);
      const variables = { GEMINI_CLI_HOME: folder, GOOGLE_GEMINI_BASE_URL: url };
      return { variables, read_only: [folder] };
    },
  },
  opencode: {
    ...named('opencode'),
    package: 'opencode-ai',
    model: 'anthropic/claude-sonnet-4-5',
    keyName: 'ANTHROPIC_API_KEY',
    leadTo(url) {
      const provider = { anthropic: { options: { baseURL: `${url}/v1` } } };
      return { variables: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider }) } };
    },
  },
} as const satisfies Record<HarnessName, AgentProgram>;

/** Returns a setup command, for programs that only read their settings from a run's home. */
const writeSettings = (path: string, content: string) => [
  ['sh', '-c', 'mkdir -p "$(dirname ~/"$0")" && printf %s "$1" > ~/"$0"', path, content],
];
const tokens = 'Its tokens are counted';
const failing = 'A model that always fails ends the run by its time limit, and it says so';
const silent = "it doesn't say what the model answered";

export const agentPrograms = {
  ...programs,
  claudeAcp: {
    ...programs.claude,
    name: 'claude-agent-acp',
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
      [failing]: silent,
      'A rejected key fails the run within 30 seconds, and it says so':
        'it tries again for minutes, and says nothing',
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
    leadTo: (url) => ({
      variables: {},
      setup: writeSettings('.codex/config.toml', `openai_base_url = "${url}/v1"\n`),
    }),
    lacks: {
      [tokens]: "it doesn't report them",
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
    leadTo: (url) => ({
      variables: { GOOGLE_GEMINI_BASE_URL: url },
      setup: writeSettings('.gemini/settings.json', geminiSettings),
    }),
    lacks: {
      'Its plan is shown': 'it reports how many items its plan has, but not the items',
      [tokens]: 'it only reports them in a field outside of the protocol',
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
    lacks: {
      [tokens]: 'it only reports those of the last request of a turn',
      [failing]: silent,
    },
  },
} as const satisfies Record<string, AgentProgram>;
