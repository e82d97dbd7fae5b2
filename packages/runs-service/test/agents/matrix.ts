import { checks } from './checks.ts';
import { versions } from './install.ts';
import { type AgentProgram, agentPrograms } from './programs.ts';

export type Outcomes = Record<string, Record<string, boolean | string>>;

/** Returns the generated part of docs/agents.md, from the outcomes of all programs by check. */
export function matrixOf(outcomes: Outcomes, date: string): string {
  const programs: AgentProgram[] = Object.values(agentPrograms);
  const lacks = programs.flatMap(({ name, lacks = {} }) =>
    Object.entries(lacks).map(
      ([title, why]) => `- \`${name}\`: no for "${title}", because ${why}.`,
    ),
  );
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const cell = (name: string, title: string) =>
    ({ true: 'yes', false: 'no', undefined: 'not tried' })[String(outcomes[name]?.[title])] ?? '';
  return [
    `Tried on ${date} with Node ${versions['node']} on Linux.`,
    '',
    row(['', ...programs.map((each) => `\`${each.name}\``)]),
    row(['---', ...programs.map(() => '---')]),
    row(['Version', ...programs.map((each) => versions[each.package] ?? '')]),
    ...checks.map(({ title }) => row([title, ...programs.map((each) => cell(each.name, title))])),
    row([
      reportedTitle,
      ...programs.map(({ name }) => String(outcomes[name]?.['reported'] ?? 'not tried')),
    ]),
    '',
    ...lacks,
  ].join('\n');
}

export const reportedTitle = 'What it reports itself, of what the gateway counts';
export const matrixStart = '<!-- Written by `npm run test:agents`. -->';
export const matrixEnd = '<!-- End of what is written. -->';
