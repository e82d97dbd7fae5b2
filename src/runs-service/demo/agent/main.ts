import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { sleep } from '../../../lib/sleep.ts';
import { DemoFailure, perform } from './perform.ts';
import { understand } from './understand.ts';

/**
 * The built-in demo agent as a command: the prompt on stdin, the project in the current folder. `--pace-ms` waits so
 * long around every step, so that people can watch a run go on; without it the agent is done in an instant.
 */
const { values } = parseArgs({ options: { 'pace-ms': { type: 'string', default: '0' } } });
const paceMs = Number(values['pace-ms']) || 0;
const say = (line: string) => process.stdout.write(`${line}\n`);

say('\u001b[1mThis is the built-in demo agent.\u001b[22m It follows simple requests by keywords.');
if (paceMs > 0) say('It works at a reading pace, so that you can watch it.');
try {
  for (const step of understand(await text(process.stdin))) {
    await sleep(paceMs);
    say('');
    say(`\u001b[2m── ${step.kind}\u001b[22m`);
    await perform(step, process.cwd(), say);
    await sleep(paceMs);
  }
} catch (error) {
  if (!(error instanceof DemoFailure)) throw error;
  process.stderr.write(`\u001b[31m${error.message}\u001b[39m\n`);
  process.exitCode = 1;
}
