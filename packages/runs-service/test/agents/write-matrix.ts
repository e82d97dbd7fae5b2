import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { matrixEnd, matrixOf, matrixStart, type Outcomes } from './matrix.ts';
import { agentPrograms } from './programs.ts';
import { readResults } from './results.ts';

const file = fileURLToPath(new URL('../../../../docs/agents.md', import.meta.url));

/** Writes the matrix into docs/agents.md. */
export function writeMatrix(folder: string): void {
  const outcomes: Outcomes = {};
  for (const { name } of Object.values(agentPrograms)) outcomes[name] = readResults(folder, name);
  const date = new Date().toISOString().slice(0, 10);
  const [before, rest = ''] = readFileSync(file, 'utf8').split(matrixStart);
  const after = rest.split(matrixEnd)[1];
  const written = `${before}${matrixStart}\n\n${matrixOf(outcomes, date)}\n\n${matrixEnd}${after}`;
  writeFileSync(file, written);
}
