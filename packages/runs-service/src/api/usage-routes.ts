import { Hono } from 'hono';
import { type UsageReport, usageGroups } from 'runs-client/usage-report';
import { z } from 'zod';
import type { UsageSum, UsageSums } from '../store/usage-sums.ts';
import type { CallerVariables } from './keys/authentication.ts';
import { ApiProblem } from './problem.ts';
import { assertSupported } from './read-request.ts';

const dayMs = 86_400_000;
const defaultDays = 30;

const moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'must be a day such as 2026-11-01 or an RFC 3339 timestamp',
  })
  .transform((text) => Date.parse(text));

export const usageQuerySchema = z.object({
  since: moment.optional(),
  until: moment.optional(),
  group_by: z.enum(usageGroups).optional(),
});

/** Creates the route with the usage of models. A key with the role `own` sees the usage of its owner's runs. */
export function createUsageRoutes({ sumBy }: Pick<UsageSums, 'sumBy'>, now: () => number) {
  const app = new Hono<{ Variables: CallerVariables }>();
  app.get('/agent/usage', async (context) => {
    const parameters = new URL(context.req.url).searchParams;
    assertSupported(parameters, (name) => Object.hasOwn(usageQuerySchema.shape, name));
    const read = usageQuerySchema.safeParse(Object.fromEntries(parameters));
    if (!read.success) {
      const [issue] = read.error.issues;
      throw new ApiProblem('invalid_request', `${issue?.path.join('.')}: ${issue?.message}`);
    }
    const { until = now(), since = until - defaultDays * dayMs, group_by: group } = read.data;
    const { role, creator } = context.get('caller');
    const creatorUid = role === 'own' ? creator.uid : undefined;
    const sums = await sumBy({ since, until, creatorUid }, group ?? 'model');
    const answer: UsageReport = {
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      ...present(sums.reduce(add, nothing)),
      ...(group && { groups: sums.map(({ name, ...sum }) => ({ name, ...present(sum) })) }),
    };
    return context.json(answer);
  });
  return app;
}

const nothing: UsageSum = {
  micros: 0,
  calls: 0,
  estimated: 0,
  input: 0,
  cached: 0,
  output: 0,
  reasoning: 0,
};

const add = (left: UsageSum, right: UsageSum): UsageSum => ({
  micros: left.micros + right.micros,
  calls: left.calls + right.calls,
  estimated: left.estimated + right.estimated,
  input: left.input + right.input,
  cached: left.cached + right.cached,
  output: left.output + right.output,
  reasoning: left.reasoning + right.reasoning,
});

const present = (sum: UsageSum) => ({
  cost_usd: sum.micros / 1_000_000,
  calls: sum.calls,
  estimated_calls: sum.estimated,
  input_tokens: sum.input,
  cached_tokens: sum.cached,
  output_tokens: sum.output,
  reasoning_tokens: sum.reasoning,
});
