import type { Result } from './result.ts';

/** Returns a Markdown table with a column for each size, and the use of Slack's limits. */
export function tableOf(results: readonly Result[]): string {
  const row = (name: string, read: (result: Result) => string | number) =>
    `| ${[name, ...results.map(read)].join(' | ')} |`;
  const names = [...new Set(results.flatMap(({ processes }) => processes.map(({ name }) => name)))];
  const usage = (result: Result, name: string) =>
    result.processes.find((each) => each.name === name) ?? { cores: 0, mebibytes: 0 };
  return [
    row('', ({ size }) => size),
    row('---', () => '--:'),
    row('people', ({ people }) => whole(people)),
    row('runs in the day', ({ accepted }) => whole(accepted)),
    row('runs at once, at most', ({ mostAtOnce }) => whole(mostAtOnce)),
    row('runs lost', ({ lost }) => lost),
    row('runs not finished or not shown in the end', ({ unfinished }) => unfinished),
    row('runs cut off', ({ failed }) => failed),
    row('runs or messages twice', ({ double }) => double),
    row('deliveries not answered in 3 s', ({ late }) => late),
    row('deliveries rejected', ({ rejected }) => rejected),
    ...(['p50', 'p99'] as const).flatMap((part) => [
      row(`acknowledgement, ${part}`, (result) => ms(result.acknowledgement[part])),
      row(`accepted → message, ${part}`, (result) => ms(result.acceptedToMessage[part])),
      row(`change → message, ${part}`, (result) => ms(result.changeToMessage[part])),
    ]),
    row('calls to Slack for each run', callsPerRun),
    row('calls that Slack rejected (429)', ({ slack }) =>
      slack.reduce((sum, { limited }) => sum + limited, 0),
    ),
    ...names.map((name) =>
      row(`${name}: cores, MiB`, (result) => {
        const { cores, mebibytes } = usage(result, name);
        return `${cores.toFixed(2)}, ${whole(mebibytes)}`;
      }),
    ),
    row('database of the bot, KiB for each run', ({ growth }) => kibi(growth.bot)),
    row('database of the service, KiB for each run', ({ growth }) => kibi(growth.service)),
    '',
    ...results.flatMap(slackTableOf),
  ].join('\n');
}

/** Renders Slack's calls by method. Posts are limited in each channel, so their share is the channels' average. */
function slackTableOf({ size, slack, accepted }: Result): string[] {
  return [
    `| Slack, ${size} | calls | for each run | busiest hour, of Slack's limit | 429 |`,
    '| --- | --: | --: | --: | --: |',
    ...slack
      .toSorted((one, other) => other.calls - one.calls)
      .map(({ method, calls, busiest, allowed, limited }) => {
        const share = `${((100 * busiest) / allowed).toFixed(1)}%`;
        return `| ${method} | ${whole(calls)} | ${(calls / accepted).toFixed(2)} | ${share} | ${limited} |`;
      }),
    '',
  ];
}

const callsPerRun = ({ slack, accepted }: Result) =>
  (slack.reduce((sum, { calls }) => sum + calls, 0) / accepted).toFixed(1);
const whole = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 0 });
const ms = (value: number) => `${whole(value)} ms`;
const kibi = (bytes: number) => (bytes / 1024).toFixed(1);
