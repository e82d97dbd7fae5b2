/**
 * Measures a day of a company of 20,000 people, compressed into ten minutes: `npm run bench -- load half|full|double`. Then
 * `npm run bench -- load draw` prints the table and draws the figure of all days that were measured. `SECONDS=30 PEAK=50`
 * tries it with a short day. See README.md.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createChildren, logFolder } from './load/children.ts';
import { type Day, dayOf, sizes } from './load/day.ts';
import { drawFigure } from './load/figure.ts';
import { measureDay } from './load/measure-day.ts';
import { serveBot, serveRuns } from './load/programs.ts';
import { keepResult, readResults } from './load/result.ts';
import { serveSlack } from './load/slack-model.ts';
import { tableOf } from './load/table.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);
const figure = 'bench/load.svg';

async function playRole(role: string, args: unknown[]): Promise<void> {
  switch (role) {
    case 'slack':
      return serveSlack(...(args as [number]));
    case 'bot':
      return void process.send?.(await serveBot(...(args as Parameters<typeof serveBot>)));
    case 'service':
      return void process.send?.(await serveRuns(...(args as Parameters<typeof serveRuns>)));
  }
}

async function measure(day: Day, isShort: boolean): Promise<void> {
  const { size, people, dayMs, factor } = day;
  print(`${size}: ${people} people, a day in ${dayMs / 1_000} s, ${factor} times faster …`);
  const result = await measureDay(day, createChildren(fileURLToPath(import.meta.url)));
  print(tableOf([result]));
  print(`${result.machine}. Results in ${keepResult(result, isShort)}, logs in ${logFolder}`);
}

function draw(): void {
  const results = readResults();
  print(tableOf(results));
  writeFileSync(figure, drawFigure(results));
  print(figure);
}

const [name = 'full', args = '[]'] = process.argv.slice(2);
const size = sizes.find((each) => each === name);
const { SECONDS: seconds, PEAK: peak } = process.env;
if (process.send) {
  process.once('disconnect', () => process.exit());
  await playRole(name, JSON.parse(args));
} else if (name === 'draw') draw();
else if (size) {
  const short = {
    ...(seconds && { seconds: Number(seconds) }),
    ...(peak && { peak: Number(peak) }),
  };
  await measure(dayOf(size, short), Object.keys(short).length > 0);
} else print('Which day? npm run bench -- load half|full|double|draw');
