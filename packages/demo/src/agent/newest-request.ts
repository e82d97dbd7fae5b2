import { newMessage, quotedContext } from 'runs-client/prompt-marks';

/** The part of a prompt that asks for something now, without an earlier conversation, quoted messages and other quotations. */
export function newestRequest(prompt: string): string {
  const [asked = ''] = afterLast(prompt, `\n\n${newMessage}\n\n`).split(quotedContext);
  const own = asked.split('\n').filter((line) => !/^\s*>/.test(line));
  return own.join('\n').trim();
}

function afterLast(text: string, mark: string): string {
  const at = text.lastIndexOf(mark);
  return at < 0 ? text : text.slice(at + mark.length);
}
