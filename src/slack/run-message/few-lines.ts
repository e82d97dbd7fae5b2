/** The first lines of a text, saying how many more there are: a message must not fill the channel. */
export function fewLines(text: string, most: number): string {
  const lines = text.split('\n');
  const more = lines.length - most;
  if (more <= 0) return text;
  return `${lines.slice(0, most).join('\n')}\n… and ${more.toLocaleString('en-US')} more lines: see Details`;
}
