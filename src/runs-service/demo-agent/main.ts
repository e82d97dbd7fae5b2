import { text } from 'node:stream/consumers';
import { DemoFailure, perform } from './perform.ts';
import { understand } from './understand.ts';

/** The built-in demo agent as a command: the prompt on stdin, the project in the current folder. */
const say = (line: string) => process.stdout.write(`${line}\n`);

say('\u001b[1mThis is the built-in demo agent.\u001b[22m It follows simple requests by keywords.');
try {
  for (const step of understand(await text(process.stdin))) {
    say('');
    say(`\u001b[2m── ${step.kind}\u001b[22m`);
    await perform(step, process.cwd(), say);
  }
} catch (error) {
  if (!(error instanceof DemoFailure)) throw error;
  process.stderr.write(`\u001b[31m${error.message}\u001b[39m\n`);
  process.exitCode = 1;
}
