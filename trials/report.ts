import type { SeedResult } from './run-seed.ts';

/** A seed that didn't finish, with the reason. */
export type Unfinished = { seed: number; why: string };

const promises = [
  ['lost', 'lost'],
  ['duplicateRuns', 'dup. runs'],
  ['duplicateMessages', 'dup. messages'],
  ['duplicateReplies', 'dup. replies'],
  ['noReply', 'no reply'],
  ['lostCancels', 'lost cancels'],
  ['lostFollowUps', 'lost follow-ups'],
  ['duplicateFollowUps', 'dup. follow-ups'],
  ['lostAnswers', 'lost answers'],
  ['wrongAnswers', 'wrong answers'],
  ['wrong', 'wrong'],
  ['stuck', 'stuck'],
  ['ofOutsiders', 'of outsiders'],
  ['surprises', 'surprises'],
] as const;

const columns = [
  ...[
    'accepted',
    'perhaps',
    'not started',
    'cancels',
    'stops',
    'follow-ups',
    'answers',
    'outsiders',
    'Slack faults',
    'API faults',
    'crashes',
  ],
  ...promises.map(([, words]) => words),
];

/** Renders the results as Markdown. */
export function report(
  where: string,
  results: readonly SeedResult[],
  unfinished: readonly Unfinished[],
): string {
  const rows = results.map(figuresOf);
  const totals = columns.map((_, index) => sum(rows.map((row) => row[index] ?? 0)));
  const lines = results.map(({ seed, seconds }, index) =>
    row([seed, ...(rows[index] ?? []), seconds.asking, seconds.settling, seconds.all]),
  );
  return [
    `### Faults: ${where}`,
    '',
    row(['seed', ...columns, 'asking s', 'settling s', 's']),
    row([...columns, '', '', '', ''].map(() => '--:')),
    ...lines,
    ...(results.length > 1 ? [row(['all', ...totals, '', '', sumOfSeconds(results)])] : []),
    '',
    ...results.flatMap(brokenIn),
    ...unfinished.map(({ seed, why }) => `Seed ${seed} didn't finish: ${why}`),
    '| Slack side | times | API side | times |',
    '| --- | --: | --- | --: |',
    ...kindRows(results),
    '',
  ].join('\n');
}

/** Returns the requests and evidence for each broken promise. */
function brokenIn({ seed, findings, evidence }: SeedResult): string[] {
  const broken = promises
    .filter(([name]) => findings[name].length > 0)
    .map(([name, words]) => `Seed ${seed}, ${words}: ${counted(findings[name])}`);
  return [...broken, ...evidence.map((each) => `    ${JSON.stringify(each)}`)];
}

/** Lists each value once, with its count. */
const counted = (all: readonly string[]): string =>
  countKinds(
    [...new Set(all)].map((each) => ({ [each]: all.filter((one) => one === each).length })),
  )
    .map(([each, times]) => (times > 1 ? `${each} (${times} times)` : each))
    .join(', ');

function figuresOf(result: SeedResult): number[] {
  const { requests, perhaps, notStarted, cancels, stops, followUps, answers } = result;
  const { outsiders, faults, crashes, findings } = result;
  return [
    ...[requests, perhaps, notStarted, cancels, stops, followUps, answers, outsiders],
    ...[sum(Object.values(faults.slack)), sum(Object.values(faults.api)), crashes],
    ...promises.map(([name]) => findings[name].length),
  ];
}

function kindRows(results: readonly SeedResult[]): string[] {
  const slack = countKinds(results.map(({ faults }) => faults.slack));
  const api = countKinds(results.map(({ faults }) => faults.api));
  const length = Math.max(slack.length, api.length);
  return Array.from({ length }, (_, index) =>
    row([...(slack[index] ?? ['', '']), ...(api[index] ?? ['', ''])]),
  );
}

/** Sums the counts by kind, most frequent first. */
function countKinds(all: readonly Partial<Record<string, number>>[]): [string, number][] {
  const kinds = new Map<string, number>();
  for (const counts of all)
    for (const [name, times = 0] of Object.entries(counts))
      kinds.set(name, (kinds.get(name) ?? 0) + times);
  return [...kinds].sort(([, one], [, other]) => other - one);
}

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

const sum = (numbers: readonly (number | undefined)[]) =>
  numbers.reduce<number>((total, each) => total + (each ?? 0), 0);

const sumOfSeconds = (results: readonly SeedResult[]) =>
  sum(results.map(({ seconds }) => seconds.all));
