import { type Finding, problems } from './problems.ts';

const describe = ({ problem, detail }: Finding) => ({
  name: problem,
  ...problems[problem],
  detail,
});

/** Returns true for information that isn't a problem. */
export const isNote = ({ problem }: Pick<Finding, 'problem'>): boolean =>
  'isNote' in problems[problem];

const problemsIn = (findings: readonly Finding[]) => findings.filter((each) => !isNote(each));
const notesIn = (findings: readonly Finding[]) => findings.filter(isNote);

export const isHealthy = (findings: readonly Finding[]): boolean => findings.every(isNote);

/** Renders the name of a problem, its detail and its remedy. */
export function describeFinding(finding: Finding): string {
  const { name, what, detail, remedy } = describe(finding);
  const seen = detail.split('\n').map((line) => `  ${line}`);
  const title = `${isNote(finding) ? 'Note: ' : ''}${name}`;
  return [`${title}: ${what}.`, ...seen, `  → ${remedy}`].join('\n');
}

/** Renders findings as text. Notes come last. */
export function describeFindings(findings: readonly Finding[]): string {
  const found = problemsIn(findings);
  const many = found.length === 1 ? '1 problem found.' : `${found.length} problems found.`;
  const count = found.length === 0 ? 'No problems found.' : many;
  const notes = notesIn(findings).map(describeFinding);
  return `${[...found.map(describeFinding), count, ...notes].join('\n\n')}\n`;
}

export const findingsAsJson = (findings: readonly Finding[]): string =>
  `${JSON.stringify(
    {
      ok: isHealthy(findings),
      problems: problemsIn(findings).map(describe),
      notes: notesIn(findings).map(describe),
    },
    null,
    2,
  )}\n`;
