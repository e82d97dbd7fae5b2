import { stringify } from 'yaml';

/** Model provider, which is named like its API, with the file to save the key in. */
type Provider = { name: string; company: string; keyFile: string };

type Agent = {
  name: string;
  harness: 'claude' | 'codex' | 'gemini' | 'opencode';
  provider: Provider;
  /** Name of the npm package. */
  package: string;
};

const anthropic = { name: 'anthropic', company: 'Anthropic', keyFile: 'secrets/anthropic' };

/** Agents that setup offers. A test compares them with the examples in docs/environments.md. */
export const agents: readonly Agent[] = [
  {
    name: 'Claude Code',
    harness: 'claude',
    provider: anthropic,
    package: '@anthropic-ai/claude-code',
  },
  {
    name: 'Codex',
    harness: 'codex',
    provider: { name: 'openai', company: 'OpenAI', keyFile: 'secrets/openai' },
    package: '@openai/codex',
  },
  {
    name: 'Gemini CLI',
    harness: 'gemini',
    provider: { name: 'gemini', company: 'Gemini', keyFile: 'secrets/gemini' },
    package: '@google/gemini-cli',
  },
  {
    name: 'OpenCode',
    harness: 'opencode',
    provider: anthropic,
    package: 'opencode-ai',
  },
];

/**
 * Renders an environments file for an agent, or for a shell command. Neither reaches a network, and the agent reaches
 * its model through the model gateway.
 */
export function environmentsFile(repository: string, agent: Agent | { command: string }): string {
  const repositories = [{ url: repository }];
  const comment = '# Written by slash-agent setup. All settings: docs/environments.md\n';
  const render = (file: object) => `${comment}${stringify(file)}`;
  if ('command' in agent) {
    const command = ['sh', '-c', agent.command];
    return render({
      environments: [{ id: 'script', name: 'Script', repositories, network: 'none', command }],
    });
  }
  const { harness, name, provider } = agent;
  const models = [provider.name];
  return render({
    environments: [{ id: harness, name, repositories, harness, models, network: 'none' }],
    models: { [provider.name]: { api: provider.name, key_file: provider.keyFile } },
  });
}
