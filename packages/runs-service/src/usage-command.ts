import { ExplainedError } from 'base/explained-error';
import { readArguments } from 'base/process/read-arguments';
import { type ModelProvider, modelApis } from './environments/models-config.ts';
import { readEnvironments } from './environments/read-environments.ts';
import { listModels } from './gateway/price-list.ts';
import type { StoredModelCall } from './store/model-calls.ts';
import type { UsageSums } from './store/usage-sums.ts';

export const usage = `Usage:
  slash-agent usage export [--since 2026-11-01] [--until 2026-12-01]
                                             print model calls as CSV. Days start at midnight UTC
  slash-agent usage prices [<environments file>]
                                             print the prices of models, with the file's own prices`;

type UsageCommandDeps = {
  print: (line: string) => void;
  /** Opens the store of model calls, which only the export needs. */
  withUsage: (work: (sums: Pick<UsageSums, 'page'>) => Promise<void>) => Promise<void>;
};

const pageSize = 1000;

/**
 * Runs the command `slash-agent usage`.
 * @throws ExplainedError that says how to use it
 */
export async function runUsageCommand(
  args: readonly string[],
  { print, withUsage }: UsageCommandDeps,
): Promise<void> {
  const { positionals, values } = readArguments(args, usage, {
    since: { type: 'string' },
    until: { type: 'string' },
  });
  const [verb, file, ...more] = positionals;
  if (more.length > 0) throw new ExplainedError(usage);
  if (verb === 'prices') return printPrices(file, print);
  if (verb !== 'export' || file !== undefined) throw new ExplainedError(usage);
  const since = readMoment(values.since) ?? 0;
  const until = readMoment(values.until) ?? Number.MAX_SAFE_INTEGER;
  const filter = { since, until, creatorUid: undefined };
  await withUsage(async ({ page }) => {
    print(Object.keys(columns).join(','));
    for (let last = { startedAt: -1, id: '' }; ; ) {
      const calls = await page(filter, last, pageSize);
      for (const call of calls)
        print(
          Object.values(columns)
            .map((read) => cell(read(call)))
            .join(','),
        );
      const end = calls.at(-1);
      if (!end) return;
      last = { startedAt: end.started_at, id: end.id };
    }
  });
}

const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());

const columns: Record<string, (call: StoredModelCall) => string | number | null> = {
  started_at: (call) => time(call.started_at),
  ended_at: (call) => time(call.ended_at),
  run_id: (call) => call.run_id,
  environment: (call) => call.environment_id,
  workspace: (call) => call.workspace,
  person: (call) => call.person,
  channel: (call) => call.channel,
  provider: (call) => call.provider,
  model: (call) => call.model,
  served_model: (call) => call.served_model,
  status: (call) => call.status,
  outcome: (call) => call.outcome,
  input_tokens: (call) => call.input_tokens,
  cached_tokens: (call) => call.cache_read_tokens,
  cache_write_tokens: (call) => call.cache_write_tokens,
  output_tokens: (call) => call.output_tokens,
  reasoning_tokens: (call) => call.reasoning_tokens,
  cost_usd: (call) => ((call.price_micros ?? 0) / 1_000_000).toFixed(6),
  estimated: (call) => call.estimated,
  price_entry: (call) => call.price_entry,
  upstream_id: (call) => call.upstream_id,
};

/** Returns a cell of CSV. A spreadsheet would run a text as a formula if it started with one of these characters. */
function cell(value: string | number | null): string {
  if (value === null || typeof value === 'number') return String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function readMoment(text: string | undefined): number | undefined {
  if (text === undefined) return;
  const moment = Date.parse(text);
  if (Number.isNaN(moment)) throw new ExplainedError(`"${text}" isn't a day.\n${usage}`);
  return moment;
}

type Row = [provider: string, model: string, input: string, cached: string, output: string];

function printPrices(file: string | undefined, print: (line: string) => void): void {
  const rows = providersOf(file).flatMap(pricesOf);
  const heading: Row = ['provider', 'model', 'input', 'cached', 'output'];
  const width = (column: 0 | 1) => Math.max(...[heading, ...rows].map((row) => row[column].length));
  const [first, second] = [width(0), width(1)];
  print('US dollars for a million tokens. If a price depends on the length, the highest is shown.');
  for (const [provider, model, ...amounts] of [heading, ...rows])
    print(
      [
        provider.padEnd(first),
        model.padEnd(second),
        ...amounts.map((amount) => amount.padStart(8)),
      ].join('  '),
    );
}

function providersOf(file: string | undefined): ModelProvider[] {
  if (file === undefined) return modelApis.map((api) => ({ api, name: api }));
  const providers = readEnvironments(file).flatMap((environment) => environment.providers ?? []);
  if (providers.length === 0)
    throw new ExplainedError(`No environment in ${file} has "models". See docs/costs.md.`);
  return [...new Map(providers.map((provider) => [provider.name, provider])).values()];
}

/** Prices of a provider: those of the file, and those of the list that the file doesn't replace. */
function pricesOf(provider: ModelProvider): Row[] {
  const { name, prices = {} } = provider;
  const own = Object.entries(prices).map(([model, price]) => ({ model, ...price }));
  const listed = listModels(provider).filter(({ model }) => !Object.hasOwn(prices, model));
  return [...own, ...listed].map(({ model, input, output, cached = input }) => [
    name,
    model,
    ...([input, cached, output].map(String) as [string, string, string]),
  ]);
}
