import { type Finding, faults } from './faults.ts';

const told = ({ fault, detail }: Finding) => ({ name: fault, ...faults[fault], detail });

/** A fault by its name, with what was seen and what to do. */
export function describeFinding(finding: Finding): string {
  const { name, what, detail, remedy } = told(finding);
  const seen = detail.split('\n').map((line) => `  ${line}`);
  return [`${name}: ${what}.`, ...seen, `  → ${remedy}`].join('\n');
}

/** For people. */
export function describeFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'No faults found.\n';
  const lines = findings.map(describeFinding);
  const count = findings.length === 1 ? 'One fault' : `${findings.length} faults`;
  return `${lines.join('\n\n')}\n\n${count} found.\n`;
}

/** For programs. */
export const findingsAsJson = (findings: readonly Finding[]): string =>
  `${JSON.stringify({ ok: findings.length === 0, faults: findings.map(told) }, null, 2)}\n`;
