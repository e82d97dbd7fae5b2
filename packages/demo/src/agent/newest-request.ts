import { newMessage, quotedContext } from 'runs-client/prompt-marks';

/** Returns the newest request in a prompt, without the earlier conversation, messages from Slack, and quoted lines. */
export function newestRequest(prompt: string): string {
  const [request = ''] = afterLast(prompt, `\n\n${newMessage}\n\n`).split(quotedContext);
  const own = request.split('\n').filter((line) => !/^\s*>/.test(line));
  return own.join('\n').trim();
}

function afterLast(text: string, mark: string): string {
  const at = text.lastIndexOf(mark);
  return at < 0 ? text : text.slice(at + mark.length);
}
