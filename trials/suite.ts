import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';
import { bundle } from '../packages/base/test/support/bundle.ts';
import { report, type Unfinished } from './report.ts';
import { expectNoFindings, runSeed, type SeedOptions, type SeedResult } from './run-seed.ts';

const numberFrom = (name: string, otherwise: number) => Number(process.env[name] || otherwise);
const folder = fileURLToPath(new URL('../.tmp/faults/', import.meta.url));

/**
 * Errors of a database on a busy machine, and of lost scopes. The bot tries again, so only lost or duplicate effects
 * are findings.
 */
const noScope = 'Slack granted|The app lacks a Slack scope';
const usual = {
  PostgreSQL: new RegExp(`no answer in time|${noScope}`),
  SQLite: new RegExp(noScope),
};

const expectedIn = (database: SeedOptions['database'], drill: Drill | undefined): RegExp =>
  drill?.expected ? new RegExp(`${drill.expected.source}|${noScope}`) : usual[database];

/** An event that breaks something big once. */
export type Drill = Pick<SeedOptions, 'database' | 'replicas' | 'expected'> & {
  name: string;
  prepare(): Promise<Pick<SeedOptions, 'strike' | 'databaseUrl'>>;
};

type Suite = Pick<SeedOptions, 'database' | 'replicas'> & { drill?: Drill };

/** Requests in a drill, enough that something is always in progress. */
const mostInDrill = 48;

/** Describes a drill with one seed, which takes a minute or more. */
export const describeDrill = (drill: Drill): void => describeFaults({ ...drill, drill });

/** Describes the fault suite on one database. See README.md for the settings. */
export function describeFaults({ database, replicas, drill }: Suite): void {
  const first = numberFrom('FAULT_SEED', numberFrom('FAULT_FROM', 1));
  const seeds = process.env['FAULT_SEED'] || drill ? 1 : numberFrom('FAULT_SEEDS', 1);
  const requests = Math.min(numberFrom('FAULT_REQUESTS', 24), drill ? mostInDrill : Infinity);
  const isPaced = requests <= 50 || process.env['FAULT_BUDGET'] === 'on';
  const people = Math.min(48, Math.ceil(requests / 3));
  const where = `${replicas === 1 ? '1 replica' : `${replicas} replicas`} on ${database}`;
  const name = drill ? `${where}, ${drill.name}` : where;
  const results: SeedResult[] = [];
  const unfinished: Unfinished[] = [];

  describe(`requests under faults, ${name}`, () => {
    const program = bundle('trials/trial-main.ts');
    mkdirSync(folder, { recursive: true });
    const kind = drill ? `${database}-${drill.name.replaceAll(' ', '-')}` : database;
    const files = `${kind}-${requests}-from-${first}`;

    /** Writes the report after each seed, so that an aborted suite leaves its results. */
    function publish(last: readonly SeedResult[]): void {
      const title = `${name}, ${requests} requests a seed`;
      writeFileSync(join(folder, `${files}.md`), report(title, results, unfinished));
      const isLast = results.length + unfinished.length === seeds;
      const shown = isLast ? results : last;
      // Don't use console.log, because vitest adds a heading to each line.
      process.stdout.write(`\n${report(title, shown, unfinished)}`);
    }

    for (let seed = first; seed < first + seeds; seed += 1) {
      it(`end correctly and exactly once (seed ${seed}, ${requests} requests)`, {
        // Never retry, because the suite searches for rare failures.
        retry: 0,
        timeout: (isPaced ? 12_000 * requests : 0) + 600_000,
      }, async () => {
        const log = join(folder, `${kind}-${requests}-seed-${seed}.log`);
        rmSync(log, { force: true });
        const size = { replicas, requests, people, isPaced };
        const struck = { expected: expectedIn(database, drill), ...(await drill?.prepare()) };
        const result = await runSeed({ program, database, seed, ...size, log, ...struck }).catch(
          (error: unknown) => {
            unfinished.push({ seed, why: String(error) });
            publish([]);
            throw error;
          },
        );
        results.push(result);
        publish([result]);
        expectNoFindings(result);
      });
    }
  });
}
