/** Answers that are long in different ways: many headings, list items, table rows or words. */
import { code, files, findings, pick, services, table, tests, times } from './words.ts';

const audit = (n: number) => `# Audit of ${5 + n * 6} modules

${times(5 + n * 6, (index) => `## ${index + 1}. \`${pick(files, index)}\`\n\n${pick(findings, n + index)[0]}.`).join('\n\n')}
`;

const headingsOnly = (n: number) =>
  times(20 + n * 8, (index) => `${'#'.repeat(1 + (index % 4))} ${pick(findings, index)[0]}`).join(
    '\n',
  );

const nested = (n: number) => `Here is how the ${pick(services, n)} service is put together:

${times(4 + n, (index) => {
  const service = pick(services, n + index);
  return `- **${service}**
  - entry point: \`cmd/${service}/main.go\`
    - reads \`${service.toUpperCase()}_URL\`
      - default: \`http://localhost:${8_000 + index}\`
  - stores
    1. PostgreSQL, schema \`${service}\`
    2. Redis, keys \`${service}:*\`

    Both are created by \`make setup\`:

    \`\`\`sh
    make setup SERVICE=${service}
    \`\`\``;
}).join('\n')}
`;

const compared = (n: number) => `I compared ${2 + (n % 4)} options for ${pick(services, n)}.

${times(
  2 + (n % 4),
  (option) => `### Option ${option + 1}

${table(
  ['Criterion', 'Score', 'Why'],
  times(3 + (n % 6), (index) => [
    pick(['Cost', 'Latency', 'Operations', 'Lock-in', 'Team knowledge'], index),
    `${1 + ((n + index + option) % 5)} / 5`,
    pick(findings, n + index + option)[0],
  ]),
)}`,
).join('\n\n')}

**My recommendation:** option ${1 + (n % 2)}, because it needs no new on-call rotation.
`;

const inventory = (n: number) => `All ${20 + n * 12} environment variables that are read somewhere:

${table(
  ['Name', 'Default', 'Read in', 'Set in production'],
  times(20 + n * 12, (index) => [
    `\`${pick(services, index).toUpperCase()}_TIMEOUT_${index}\``,
    index * 100,
    `\`${pick(files, index)}\``,
    index % 3 === 0 ? 'no' : 'yes',
  ]),
)}

Those with "no" fall back to the default.
`;

const wide = (n: number) => `Requests by hour and service:

${table(
  ['Service', ...times(16 + n * 4, (hour) => `${hour}h`)],
  services.map((service, row) => [service, ...times(16 + n * 4, (hour) => (row + 3) * hour * 17)]),
)}
`;

const essay = (n: number) => `# How ${pick(services, n)} got slow, and what to do

${times(8 + n * 4, (index) => {
  const [title, why] = pick(findings, n + index);
  return `${title}. ${why} This was introduced when \`${pick(files, n + index)}\` was split, and the test "${pick(tests, index)}" didn't notice, because it only looks at the first page. In a trace of ${1_000 + index} requests it accounts for ${(index * 7) % 40} ms of the p99. I wouldn't fix it alone: the callers in \`${pick(files, n + index + 1)}\` rely on the order of the results.`;
}).join('\n\n')}
`;

const walkthrough = (n: number) =>
  times(
    3 + n * 2,
    (index) => `**Step ${index + 1}.** ${pick(findings, index)[1]}\n\n${pick(code, n + index)}`,
  ).join('\n\n***\n\n');

export const longAnswers: readonly [kind: string, count: number, write: (n: number) => string][] = [
  ['audit with many headings', 12, audit],
  ['outline of headings', 6, headingsOnly],
  ['nested list', 10, nested],
  ['comparison with several tables', 12, compared],
  ['inventory with a large table', 10, inventory],
  ['wide table', 4, wide],
  ['essay', 12, essay],
  ['walkthrough with code and rules', 10, walkthrough],
];
