import type { Finding, Outcome } from './check.ts';

export type Reported = Finding & { check: string; title: string };

export type Report = {
  slashAgent: string;
  node: string;
  at: string;
  workspace: string;
  /** True if the checks were interrupted. */
  isPartial: boolean;
  findings: Reported[];
  /** Messages and files that couldn't be deleted, each with the reason. */
  left: string[];
};

const outcomes: readonly Outcome[] = ['differs', 'not decided', 'as assumed'];

/** Shortens Slack IDs and removes tokens, so that a report is safe to paste into an issue. */
const withoutIds = (text: string): string =>
  text
    .replace(/\bx(?:ox[a-z]|app|wfp)-[\w-]+/g, '[token]')
    .replace(/\b([A-Z][A-Za-z]?)[A-Z0-9]{4,}([A-Z0-9]{3})\b/g, '$1…$2');

export const reportAsJson = (report: Report): string =>
  `${JSON.stringify(report, (_, value) => (typeof value === 'string' ? withoutIds(value) : value), 2)}\n`;

/** Returns a summary such as `2 differ, 1 not decided, 12 as assumed`. */
export function countOutcomes(findings: readonly Finding[]): string {
  const count = (outcome: Outcome) => findings.filter((each) => each.outcome === outcome).length;
  const [differ, open, same] = outcomes.map(count);
  return `${differ} ${differ === 1 ? 'differs' : 'differ'}, ${open} not decided, ${same} as assumed`;
}

export function reportAsMarkdown(report: Report): string {
  const { slashAgent, node, at, workspace, isPartial, findings, left } = report;
  const lines = [
    '# check-slack',
    '',
    `slash-agent ${slashAgent}, Node ${node}, ${at}, workspace ${workspace}: ${countOutcomes(findings)}.`,
    ...(isPartial ? ['', 'The checks were stopped before the end.'] : []),
  ];
  for (const outcome of outcomes) {
    const those = findings.filter((each) => each.outcome === outcome);
    if (those.length === 0) continue;
    const isDifferent = outcome === 'differs';
    lines.push('', `## ${outcome[0]?.toUpperCase()}${outcome.slice(1)}`, '');
    lines.push(`| check | assumption | Slack said |${isDifferent ? ' for the app |' : ''}`);
    lines.push(`| --- | --- | --- |${isDifferent ? ' --- |' : ''}`);
    for (const { check, assumption, said, means = '' } of those) {
      const cells = [check, assumption, said, ...(isDifferent ? [means] : [])];
      lines.push(`| ${cells.map(inCell).join(' | ')} |`);
    }
  }
  if (left.length > 0) lines.push('', `Not cleaned up: ${left.join('; ')}.`);
  return `${withoutIds(lines.join('\n'))}\n`;
}

const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
