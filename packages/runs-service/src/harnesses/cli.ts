import { fillCommand } from './agent-command.ts';
import type { AgentPrompt, Harness } from './harness.ts';

/** A process per prompt, which gets the prompt on standard input. Each continues the session of the one before. */
export const commandLine: Harness = ({ command, values, basePrompt, run, conversation }) => {
  let isFirst = true;

  async function say({ text, variables }: AgentPrompt) {
    const words = isFirst ? await conversation.opening(text) : text;
    const input = [basePrompt, words].filter(Boolean).join('\n\n');
    const { AGENT_PROMPT_FILE: prompt_file = '' } = variables;
    const session = conversation.sessionId();
    const argv = fillCommand(command, { ...values, session, prompt: input, prompt_file });
    return run({ argv, variables, input });
  }

  return {
    async prompt(prompt) {
      const failure = await say(prompt);
      const mayStartOver = isFirst && failure !== undefined;
      if (mayStartOver && (await conversation.startOver(failure.status.message)))
        return say(prompt);
      isFirst = false;
      return failure;
    },
    close: async () => undefined,
  };
};
