import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

export const alertsFile = fileURLToPath(new URL('../../deploy/alerts.yml', import.meta.url));
const dashboardFile = new URL('../../deploy/grafana-dashboard.json', import.meta.url);

const dashboard = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })),
});
const alerts = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});

export function panelQueries(): string[] {
  const { panels } = dashboard.parse(JSON.parse(readFileSync(dashboardFile, 'utf8')));
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

const rules = () =>
  alerts.parse(parse(readFileSync(alertsFile, 'utf8'))).groups.flatMap((group) => group.rules);

export const alertQueries = (): string[] => rules().map(({ expr }) => expr);
export const alertNames = (): string[] => rules().map(({ alert }) => alert);

/** Returns the names of the series in all queries. */
export const usedSeries = (): string[] => [
  ...new Set(
    [...panelQueries(), ...alertQueries()].flatMap((query) =>
      (query.match(/\bslash_agent_\w+/g) ?? []).map((name) => name.replace(/_bucket$/, '')),
    ),
  ),
];
