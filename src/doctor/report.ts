import { type Finding, faults } from './faults.ts';

const told = ({ fault, detail }: Finding) => ({ name: fault, ...faults[fault], detail });

/** True for what is worth knowing, and nothing is wrong. */
export const isNote = ({ fault }: Pick<Finding, 'fault'>): boolean => 'isNote' in faults[fault];

const faultsIn = (findings: readonly Finding[]) => findings.filter((each) => !isNote(each));
const notesIn = (findings: readonly Finding[]) => findings.filter(isNote);

export const isHealthy = (findings: readonly Finding[]): boolean => findings.every(isNote);

/** A fault by its name, with what was seen and what to do. */
export function describeFinding(finding: Finding): string {
  const { name, what, detail, remedy } = told(finding);
  const seen = detail.split('\n').map((line) => `  ${line}`);
  const title = `${isNote(finding) ? 'Note: ' : ''}${name}`;
  return [`${title}: ${what}.`, ...seen, `  → ${remedy}`].join('\n');
}

/** For people. Notes come last. */
export function describeFindings(findings: readonly Finding[]): string {
  const found = faultsIn(findings);
  const many = found.length === 1 ? 'One fault found.' : `${found.length} faults found.`;
  const count = found.length === 0 ? 'No faults found.' : many;
  const notes = notesIn(findings).map(describeFinding);
  return `${[...found.map(describeFinding), count, ...notes].join('\n\n')}\n`;
}

/** For programs. */
export const findingsAsJson = (findings: readonly Finding[]): string =>
  `${JSON.stringify(
    {
      ok: isHealthy(findings),
      faults: faultsIn(findings).map(told),
      notes: notesIn(findings).map(told),
    },
    null,
    2,
  )}\n`;
