import { fillCommand } from './agent-command.ts';
import type { AgentPrompt, Harness } from './harness.ts';

/**
 * Starts a process for each prompt, with the prompt on standard input. Each process continues the session of the
 * previous one.
 */
export const commandLine: Harness = ({ command, values, basePrompt, run, conversation }) => {
  let isFirst = true;

  async function sendPrompt({ text, variables }: AgentPrompt) {
    const words = isFirst ? await conversation.opening(text) : text;
    const input = [basePrompt, words].filter(Boolean).join('\n\n');
    const { AGENT_PROMPT_FILE: prompt_file = '' } = variables;
    const session = conversation.sessionId();
    const argv = fillCommand(command, { ...values, session, prompt: input, prompt_file });
    return run({ argv, variables, input });
  }

  return {
    async prompt(prompt) {
      const failure = await sendPrompt(prompt);
      const canStartOver = isFirst && failure !== undefined;
      if (canStartOver && (await conversation.startOver(failure.status.message)))
        return sendPrompt(prompt);
      isFirst = false;
      return failure;
    },
    close: async () => undefined,
  };
};
