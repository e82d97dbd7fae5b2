import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { type Bed, startBed } from './bed.ts';
import { checks } from './checks.ts';
import type { AgentProgram } from './programs.ts';
import { readResults, resultsFile } from './results.ts';

/** All checks with one program. Their outcomes are kept for the matrix. */
export function tryProgram(program: AgentProgram): void {
  const { folder, problem } = inject('agents');
  const why = problem === undefined ? '' : ` (skipped: it can't be installed: ${problem})`;
  const passed: Record<string, boolean> = {};
  describe.skipIf(problem !== undefined)(`${program.package}${why}`, () => {
    let bed: Bed | undefined;
    beforeAll(async () => {
      bed = await startBed(program, folder);
    });
    afterAll(async () => {
      await bed?.stop();
      const earlier = readResults(folder, program.harness);
      const file = resultsFile(folder, program.harness);
      // Some checks may have been filtered out.
      writeFileSync(file, JSON.stringify({ ...earlier, ...passed }));
    });

    it.for(checks)('$title', async ({ title, run }) => {
      passed[title] = false;
      await run(bed as Bed);
      passed[title] = true;
    });
  });
}
