import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { type Bed, startBed } from './bed.ts';
import { checks } from './checks.ts';
import type { AgentProgram } from './programs.ts';
import { readResults, resultsFile } from './results.ts';

/** Runs all checks with one program, and keeps the outcomes for the matrix. */
export function tryProgram(program: AgentProgram): void {
  const { folder, problem } = inject('agents');
  const why = problem === undefined ? '' : ` (skipped: it can't be installed: ${problem})`;
  const file = resultsFile(folder, program.name);
  /** Writes an outcome at once, so that interrupted trials keep their outcomes. */
  const record = (title: string, outcome: boolean | string) =>
    writeFileSync(file, JSON.stringify({ ...readResults(folder, program.name), [title]: outcome }));
  describe.skipIf(problem !== undefined)(`${program.name}${why}`, () => {
    let bed: Bed | undefined;
    beforeAll(async () => {
      bed = await startBed(program, folder);
    });
    afterAll(async () => {
      await bed?.stop();
    });

    // Use a loop, because `it.for` would shorten the titles, and `-t` wouldn't find them.
    for (const { title, waits = false, run } of checks)
      it(title, { concurrent: waits, fails: program.lacks?.[title] !== undefined }, async () => {
        record(title, false);
        const reported = await run(bed as Bed);
        if (reported !== undefined) record('reported', reported);
        record(title, true);
      });
  });
}
