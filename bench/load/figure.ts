import type { Result } from './result.ts';

type Panel = { title: string; read(result: Result): number; digits: number };

const coresOf = (part: RegExp) => (result: Result) =>
  result.processes.reduce((sum, { name, cores }) => sum + (part.test(name) ? cores : 0), 0);
const mebibytesOf = (part: RegExp) => (result: Result) =>
  result.processes.reduce((sum, { name, mebibytes }) => sum + (part.test(name) ? mebibytes : 0), 0);

/** Returns the share of Slack's limit that updates used in the busiest hour. */
function shareOfUpdates({ slack }: Result): number {
  const updates = slack.find(({ method }) => method === 'chat.update');
  return updates ? (100 * updates.busiest) / updates.allowed : 0;
}

const panels: readonly Panel[] = [
  { title: 'Acknowledgement, p99, ms', read: (each) => each.acknowledgement.p99, digits: 0 },
  { title: 'Accepted → message, p99, ms', read: (each) => each.acceptedToMessage.p99, digits: 0 },
  { title: 'Change → message, p99, ms', read: (each) => each.changeToMessage.p99, digits: 0 },
  { title: "Updates, % of Slack's limit", read: shareOfUpdates, digits: 0 },
  { title: 'Three bots, cores', read: coresOf(/^bot/), digits: 2 },
  { title: 'Two runs services, cores', read: coresOf(/^runs/), digits: 2 },
  { title: 'PostgreSQL, cores', read: coresOf(/^PostgreSQL/), digits: 2 },
  { title: 'Bots and services, MiB', read: mebibytesOf(/^(bot|runs)/), digits: 0 },
];

const [columns, width, height] = [4, 230, 190];
const bar = { width: 44, gap: 20, left: 24, base: 150, most: 95 };
const [ink, fill, paper] = ['#1d1c1d', '#4a7fb5', '#ffffff'];

/** Draws a small chart for each measure, with a bar for each size. Readable on a dark page too. */
export function drawFigure(results: readonly Result[]): string {
  const rows = Math.ceil(panels.length / columns);
  const charts = panels.map((panel, index) => {
    const [x, y] = [(index % columns) * width, Math.floor(index / columns) * height];
    return `<g transform="translate(${x} ${y})">${drawPanel(panel, results)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${columns * width} ${rows * height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="${ink}">`,
    `<title>${escapeXml(summaryOf(results))}</title>`,
    `<rect width="100%" height="100%" fill="${paper}"/>`,
    ...charts,
    '</svg>\n',
  ].join('\n');
}

function drawPanel({ title, read, digits }: Panel, results: readonly Result[]): string {
  const most = Math.max(...results.map(read), Number.MIN_VALUE);
  const bars = results.map((result, index) => {
    const value = read(result);
    const x = bar.left + index * (bar.width + bar.gap);
    const tall = (value / most) * bar.most;
    const middle = x + bar.width / 2;
    const label = value.toLocaleString('en-US', { maximumFractionDigits: digits });
    return [
      `<rect x="${x}" y="${(bar.base - tall).toFixed(1)}" width="${bar.width}" height="${tall.toFixed(1)}" fill="${fill}"/>`,
      `<text x="${middle}" y="${(bar.base - tall - 5).toFixed(1)}" text-anchor="middle">${label}</text>`,
      `<text x="${middle}" y="${bar.base + 17}" text-anchor="middle">${result.size}</text>`,
    ].join('');
  });
  return `<text x="${bar.left}" y="26" font-weight="600">${escapeXml(title)}</text>${bars.join('')}`;
}

const summaryOf = (results: readonly Result[]) =>
  `A compressed day: ${results.map(({ size, people }) => `${size} is ${people.toLocaleString('en-US')} people`).join(', ')}`;

const escapeXml = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
