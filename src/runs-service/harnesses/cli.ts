import { fillCommand } from './agent-command.ts';
import type { Harness } from './harness.ts';

/** A process per prompt, which gets the prompt on standard input. */
export const commandLine: Harness = ({ command, values, basePrompt, run }) => ({
  prompt({ text, variables }) {
    const input = [basePrompt, text].filter(Boolean).join('\n\n');
    const { AGENT_PROMPT_FILE: prompt_file = '' } = variables;
    const argv = fillCommand(command, { ...values, prompt: input, prompt_file });
    return run({ argv, variables, input });
  },
  close: async () => undefined,
});
