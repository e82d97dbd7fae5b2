import { stringify } from 'yaml';

type Agent = {
  name: string;
  harness: 'claude' | 'codex' | 'gemini' | 'opencode';
  /** Variable for the agent's API key, and the file to save the key in. */
  key: { variable: string; file: string };
  network: readonly string[];
  /** Name of the npm package. */
  package: string;
};

const anthropic = { variable: 'ANTHROPIC_API_KEY', file: 'secrets/anthropic' };

/** Agents that setup offers. A test compares them with the examples in docs/environments.md. */
export const agents: readonly Agent[] = [
  {
    name: 'Claude Code',
    harness: 'claude',
    key: anthropic,
    network: ['api.anthropic.com'],
    package: '@anthropic-ai/claude-code',
  },
  {
    name: 'Codex',
    harness: 'codex',
    key: { variable: 'CODEX_API_KEY', file: 'secrets/openai' },
    network: ['api.openai.com'],
    package: '@openai/codex',
  },
  {
    name: 'Gemini CLI',
    harness: 'gemini',
    key: { variable: 'GEMINI_API_KEY', file: 'secrets/gemini' },
    network: ['generativelanguage.googleapis.com'],
    package: '@google/gemini-cli',
  },
  {
    name: 'OpenCode',
    harness: 'opencode',
    key: anthropic,
    network: ['api.anthropic.com', 'models.dev'],
    package: 'opencode-ai',
  },
];

/** Renders an environments file for an agent, or for a shell command without network access. */
export function environmentsFile(repository: string, agent: Agent | { command: string }): string {
  const repositories = [{ url: repository }];
  const environment =
    'command' in agent
      ? {
          id: 'script',
          name: 'Script',
          repositories,
          network: 'none',
          command: ['sh', '-c', agent.command],
        }
      : {
          id: agent.harness,
          name: agent.name,
          repositories,
          harness: agent.harness,
          secret_files: { [agent.key.variable]: agent.key.file },
          network: [...agent.network],
        };
  const comment = '# Written by slash-agent setup. All settings: docs/environments.md\n';
  return `${comment}${stringify({ environments: [environment] })}`;
}
