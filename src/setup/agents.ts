import { stringify } from 'yaml';

type Agent = {
  name: string;
  harness: 'claude' | 'codex' | 'gemini' | 'opencode';
  /** The variable with its API key, and the file that the key is kept in. */
  key: { variable: string; file: string };
  network: readonly string[];
  /** Name of the npm package. */
  package: string;
};

const anthropic = { variable: 'ANTHROPIC_API_KEY', file: 'secrets/anthropic' };

/** The examples of docs/environments.md: a test compares them. */
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

/** An environments file for one of these agents, or for a shell command that reaches no network. */
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
