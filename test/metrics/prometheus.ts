import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../../packages/base/test/support/free-port.ts';
import { temporaryFolder } from '../../packages/runs-service/test/support/runs-service.ts';
import { alertsFile } from './queries.ts';

/** Starts a real Prometheus with our alert rules, which scrapes this port every second. Ends it after the test. */
export async function startPrometheus(scraped: number) {
  const folder = temporaryFolder();
  const port = await freePort();
  const file = join(folder, 'prometheus.yml');
  const job = {
    job_name: 'slash-agent',
    static_configs: [{ targets: [`127.0.0.1:${scraped}`] }],
  };
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [alertsFile],
    scrape_configs: [job],
  };
  writeFileSync(file, JSON.stringify(config));
  const child = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });

  return {
    /** Returns the results of a query, or undefined while Prometheus doesn't answer. @throws if the query is invalid */
    async query(query: string): Promise<unknown[] | undefined> {
      const path = `query?${new URLSearchParams({ query })}`;
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined);
      if (!answer || answer.status === 503) return undefined;
      const { status, error, data } = (await answer.json()) as PrometheusAnswer;
      if (status !== 'success') throw new Error(`${query}: ${error}`);
      return data.result;
    },
    /** Returns the names of alerts that were evaluated without an error. */
    async healthyRules(): Promise<string[]> {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/rules`);
      const { data } = (await answer.json()) as RulesAnswer;
      const rules = data.groups.flatMap((group) => group.rules);
      return rules.flatMap(({ name, health }) => (health === 'ok' ? [name] : []));
    },
  };
}

type PrometheusAnswer = { status: string; error?: string; data: { result: unknown[] } };
type RulesAnswer = { data: { groups: { rules: { name: string; health: string }[] }[] } };
