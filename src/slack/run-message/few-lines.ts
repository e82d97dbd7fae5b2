/** What says that there is more, and where. */
const roomForMore = 60;

/**
 * The beginning of a text, at most so many lines and characters (code points), saying how much more there is: a message
 * must not fill the channel.
 */
export function fewLines(text: string, most: number, limit: number): string {
  const lines = text.split('\n');
  const first = lines.slice(0, most).join('\n');
  const moreLines = lines.length - most;
  const points = [...first.slice(0, 2 * (limit + 1))];
  if (moreLines <= 0 && points.length <= limit) return text;
  const room = limit - roomForMore;
  if (points.length <= room) return `${first}\n… and ${counted(moreLines, 'line')}`;
  return `${points.slice(0, room).join('')}… and ${counted([...text].length - room, 'character')}`;
}

const counted = (count: number, noun: string) =>
  `${count.toLocaleString('en-US')} more ${noun}${count === 1 ? '' : 's'}: see Details`;
