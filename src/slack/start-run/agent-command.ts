/** What `/agent <text>` asks for. */
export type AgentCommand = { kind: 'help' } | { kind: 'start'; prompt: string };

export function parseAgentCommand(text: string): AgentCommand {
  const prompt = unescapeText(text).trim();
  return prompt.toLowerCase() === 'help' ? { kind: 'help' } : { kind: 'start', prompt };
}

/** Slack sends a command's text escaped; people typed the plain characters. */
function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

export const helpText = [
  '*Start a cloud agent run*',
  '`/agent` opens a form.',
  '`/agent <what the agent should do>` opens it with the prompt filled in.',
  'One message in the channel follows the run to its end. All runs are in my Home tab.',
].join('\n');
