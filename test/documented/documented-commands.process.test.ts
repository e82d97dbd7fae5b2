import { expect, it } from 'vitest';
import { startBed } from './bed.ts';
import { steps } from './steps.ts';

it('the commands of README and docs do what their pages promise, typed in an empty folder', async () => {
  const bed = await startBed();
  const failed: string[] = [];
  for (const [command, step] of Object.entries(steps))
    await step(bed, command).catch((error: unknown) => failed.push(`${command}\n${error}`));
  expect(failed).toEqual([]);
});
