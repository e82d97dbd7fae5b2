import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';
import { bundle } from '../test/support/bundle.ts';
import { report, type Unfinished } from './report.ts';
import { expectAllKept, runSeed, type SeedOptions, type SeedResult } from './run-seed.ts';

const numberFrom = (name: string, otherwise: number) => Number(process.env[name] || otherwise);
const folder = fileURLToPath(new URL('../.tmp/faults/', import.meta.url));

/**
 * The fault suite on one database. `FAULT_SEED=7` replays a seed; `FAULT_SEEDS` says how many there are,
 * `FAULT_FROM` which is the first, and `FAULT_REQUESTS` how large each is. Small seeds keep to Slack's limits, large ones do with
 * `FAULT_BUDGET=on`. What the bots write, and the tables so far, are in `.tmp/faults/`.
 */
export function describeFaults(database: SeedOptions['database'], replicas: number): void {
  const first = numberFrom('FAULT_SEED', numberFrom('FAULT_FROM', 1));
  const seeds = process.env['FAULT_SEED'] ? 1 : numberFrom('FAULT_SEEDS', 1);
  const requests = numberFrom('FAULT_REQUESTS', 24);
  const isPaced = requests <= 50 || process.env['FAULT_BUDGET'] === 'on';
  const people = Math.min(48, Math.ceil(requests / 3));
  const name = `${replicas === 1 ? '1 replica' : `${replicas} replicas`} on ${database}`;
  const results: SeedResult[] = [];
  const unfinished: Unfinished[] = [];

  describe(`requests under faults, ${name}`, () => {
    const program = bundle('trials/unhurried-main.ts');
    mkdirSync(folder, { recursive: true });
    const files = `${database}-${requests}-from-${first}`;

    /** After each seed: whoever stops the suite keeps what there is. */
    function tell(last: readonly SeedResult[]): void {
      const title = `${name}, ${requests} requests a seed`;
      writeFileSync(join(folder, `${files}.md`), report(title, results, unfinished));
      const isLast = results.length + unfinished.length === seeds;
      const shown = isLast ? results : last;
      // Straight to the terminal: vitest would put a heading over every line.
      process.stdout.write(`\n${report(title, shown, unfinished)}`);
    }

    for (let seed = first; seed < first + seeds; seed += 1) {
      it(
        `all end true, once (seed ${seed}, ${requests} requests)`,
        async () => {
          const log = join(folder, `${database}-${requests}-seed-${seed}.log`);
          rmSync(log, { force: true });
          const size = { replicas, requests, people, isPaced };
          const result = await runSeed({ program, database, seed, ...size, log }).catch(
            (error: unknown) => {
              unfinished.push({ seed, why: String(error) });
              tell([]);
              throw error;
            },
          );
          results.push(result);
          tell([result]);
          expectAllKept(result);
        },
        (isPaced ? 12_000 * requests : 0) + 600_000,
      );
    }
  });
}
