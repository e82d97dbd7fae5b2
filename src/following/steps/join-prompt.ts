import { quotedContext } from 'runs-client/prompt-marks';

/** What the agent gets: the prompt, and after it the text from Slack. */
export const joinPrompt = (prompt: string, context: string | null): string =>
  context ? [prompt, quotedContext, context].join('\n\n') : prompt;
