import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { sleep } from '../../../lib/sleep.ts';
import { DemoFailure, perform } from './perform.ts';
import { planLine } from './plan-line.ts';
import { understand } from './understand.ts';

/**
 * The demo agent: reads the prompt from stdin and works in the current folder. `--pace-ms` adds a pause before and after
 * every step, so that people can watch.
 */
const { values } = parseArgs({ options: { 'pace-ms': { type: 'string', default: '0' } } });
const paceMs = Number(values['pace-ms']) || 0;
const say = (line: string) => process.stdout.write(`${line}\n`);

say('\u001b[1mThis is the demo agent.\u001b[22m It understands simple requests by keywords.');
if (paceMs > 0) say('It works slowly, so that you can watch.');
try {
  const steps = understand(await text(process.stdin));
  for (const [index, step] of steps.entries()) {
    if (steps.length > 1) say(planLine(steps, index));
    await sleep(paceMs);
    say('');
    // The last paragraph is the answer, so this is one of its own.
    say(`\u001b[2m── ${step.kind}\u001b[22m\n`);
    await perform(step, process.cwd(), say);
    await sleep(paceMs);
  }
  if (steps.length > 1) say(planLine(steps, steps.length));
} catch (error) {
  if (!(error instanceof DemoFailure)) throw error;
  process.stderr.write(`\u001b[31m${error.message}\u001b[39m\n`);
  process.exitCode = 1;
}
