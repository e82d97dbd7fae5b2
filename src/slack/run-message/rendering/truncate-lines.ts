/** For the words that say how much more there is. */
const roomForMore = 60;

/**
 * The beginning of a text, and how much more there is.
 * @param mostLines lines at most
 * @param limit code points at most
 */
export function truncateLines(text: string, mostLines: number, limit: number): string {
  const lines = text.split('\n');
  const first = lines.slice(0, mostLines).join('\n');
  const moreLines = lines.length - mostLines;
  const points = [...first.slice(0, 2 * (limit + 1))];
  if (moreLines <= 0 && points.length <= limit) return text;
  const room = limit - roomForMore;
  if (points.length <= room) return `${first}\n… ${counted(moreLines, 'line')}`;
  return `${points.slice(0, room).join('')}… ${counted([...text].length - room, 'character')}`;
}

const counted = (count: number, noun: string) =>
  `${count.toLocaleString('en-US')} more ${noun}${count === 1 ? '' : 's'} in Details`;
