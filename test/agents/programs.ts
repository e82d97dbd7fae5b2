import type { HarnessName } from '../../src/runs-service/harnesses/agent-command.ts';

/** A program as its operator sets it up. */
export type AgentProgram = {
  name: string;
  environment: { harness: HarnessName } | { harness: 'acp'; command: string[] };
  /** On npm. */
  package: string;
  model: string;
  /** The variable that holds the key. */
  keyName: string;
  /** Leads it to another model server than its vendor's. `write` makes a file that it sees, and returns its folder. */
  leadTo(
    url: string,
    write: (name: string, content: string) => string,
  ): { variables: Record<string, string>; read_only?: string[] };
  /** Checks that have to fail, and why. */
  lacks?: Record<string, string>;
};

const named = (harness: HarnessName) => ({ name: harness, environment: { harness } });

const programs = {
  claude: {
    ...named('claude'),
    package: '@anthropic-ai/claude-code',
    model: 'claude-sonnet-4-5',
    keyName: 'ANTHROPIC_API_KEY',
    // Otherwise the model has to look for most tools before it can call them.
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
      const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
      const folder = write('.gemini/settings.json', JSON.stringify(settings));
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

const overAcp = (program: AgentProgram, ...command: string[]): AgentProgram => ({
  ...program,
  name: command.join(' '),
  environment: { harness: 'acp', command },
});

export const agentPrograms = {
  ...programs,
  opencodeAcp: {
    ...overAcp(programs.opencode, 'opencode', 'acp'),
    lacks: { 'Its tokens are counted': 'it only reports those of the last request of a turn' },
  },
} as const satisfies Record<string, AgentProgram>;
