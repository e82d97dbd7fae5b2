import { afterAll, describe, it } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { expectAllKept, runSeed, type SeedOptions, type SeedResult } from './run-seed.ts';

const numberFrom = (name: string, otherwise: number) => Number(process.env[name] || otherwise);

/**
 * The fault suite on one database. `FAULT_SEED=7` replays a seed, `FAULT_SEEDS` says how many there are, and
 * `FAULT_REQUESTS` how large each is; `FAULT_LOG` names a file for what the bots write. Small seeds keep to Slack's
 * limits, large ones do with `FAULT_BUDGET=on`.
 */
export function describeFaults(database: SeedOptions['database'], replicas: number): void {
  const first = numberFrom('FAULT_SEED', 1);
  const seeds = process.env['FAULT_SEED'] ? 1 : numberFrom('FAULT_SEEDS', 1);
  const requests = numberFrom('FAULT_REQUESTS', 24);
  const isPaced = requests <= 50 || process.env['FAULT_BUDGET'] === 'on';
  const results: SeedResult[] = [];

  describe(`requests under faults, ${replicas} on ${database}`, () => {
    const program = bundle('test/faults/unhurried-main.ts');
    afterAll(() => print(`${replicas} on ${database}`, results));

    for (let seed = first; seed < first + seeds; seed += 1) {
      it(
        `all end true, once (seed ${seed}, ${requests} requests)`,
        async () => {
          const log = process.env['FAULT_LOG'];
          const people = Math.min(48, Math.ceil(requests / 3));
          const size = { replicas, requests, people, isPaced };
          const result = await runSeed({ program, database, seed, ...size, log });
          results.push(result);
          print(`${replicas} on ${database}`, [result]);
          expectAllKept(result);
        },
        (isPaced ? 12_000 * requests : 0) + 600_000,
      );
    }
  });
}

/** Straight to the terminal: vitest would put a heading over every line. */
function print(where: string, results: readonly SeedResult[]): void {
  const promises = [
    'lost',
    'duplicateRuns',
    'duplicateMessages',
    'duplicateReplies',
    'noReply',
    'wrong',
    'stuck',
  ] as const;
  const lines = results.map(({ seed, requests, perhaps, notStarted, faults, ...result }) => {
    const broken = promises.map((name) => result.findings[name].length);
    const [slack, api] = [faults.slack, faults.api].map(sum);
    return `| ${[seed, requests, perhaps, notStarted, slack, api, result.crashes, ...broken, result.seconds].join(' | ')} |`;
  });
  const kinds = new Map<string, number>();
  for (const { faults } of results)
    for (const [name, times] of Object.entries({ ...faults.slack, ...faults.api }))
      kinds.set(name, (kinds.get(name) ?? 0) + (times ?? 0));
  process.stdout.write(
    [
      `\n${where}`,
      '| seed | accepted | perhaps | not started | Slack faults | API faults | crashes | lost | dup. runs | dup. messages | dup. replies | no reply | wrong | stuck | s |',
      '| --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |',
      ...lines,
      `faults: ${[...kinds].map(([name, times]) => `${name} ${times}`).join(', ')}`,
      '',
    ].join('\n'),
  );
}

const sum = (counts: Partial<Record<string, number>>) =>
  Object.values(counts).reduce<number>((total, each) => total + (each ?? 0), 0);
