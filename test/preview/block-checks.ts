import { setTimeout as wait } from 'node:timers/promises';
import { validateMessage } from 'slack-stand-in/block-kit/validate-message';
import { validateView } from 'slack-stand-in/block-kit/validate-view';
import { z } from 'zod';
import type { PreviewCase } from './preview-cases.ts';

export type Finding = { name: string; problem: string };

export const slackApi = 'https://slack.com/api/';

/** Returns the payload that Slack gets. JSON drops `undefined`. */
const sent = (value: object) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
const nameOf = ({ group, name }: PreviewCase) => `${group}, ${name}`;

/** Returns the problems for which `chat.postMessage` and `views.open` would reject a case, by the stand-in's rules. */
export function checkOffline(cases: readonly PreviewCase[]): Finding[] {
  return cases.flatMap((each) => {
    const { kind, text, payload } = each;
    const problems =
      kind === 'message'
        ? validateMessage(sent({ text, ...payload }), { method: 'chat.postMessage' })
        : validateView(sent(payload), { types: [kind] });
    return problems.map(({ message }) => ({ name: nameOf(each), problem: message }));
  });
}

const answerSchema = z.looseObject({
  ok: z.boolean(),
  error: z.string().optional(),
  errors: z
    .array(z.looseObject({ message: z.string(), pointer: z.string().optional() }))
    .optional(),
  response_metadata: z.looseObject({ messages: z.array(z.string()).optional() }).optional(),
});

/** Limit of `blocks.validate`, in characters. */
const longest = 100_000;
const deadlineMs = 10_000;
const mostTries = 5;

/** Checks cases with Slack's `blocks.validate`, one at a time, because its rate limit isn't documented. */
export async function checkLive(
  cases: readonly PreviewCase[],
  apiUrl: string,
): Promise<{ findings: Finding[] } | { unreachable: string }> {
  const findings: Finding[] = [];
  for (const each of cases) {
    const name = nameOf(each);
    const { kind, text, payload } = each;
    const [field, value] =
      kind === 'message' ? ['message', sent({ text, ...payload })] : ['view', sent(payload)];
    const json = JSON.stringify(value);
    if ([...json].length > longest) {
      findings.push({ name, problem: `more than ${longest} characters` });
      continue;
    }
    const answer = await ask(new URL('blocks.validate', apiUrl), { [field]: json });
    if (typeof answer === 'string') return { unreachable: answer };
    const details = answer.errors?.map((error) => `${error.message} at ${error.pointer ?? '?'}`);
    const said = details ?? answer.response_metadata?.messages ?? [];
    if (!answer.ok) findings.push({ name, problem: [answer.error, ...said].join('; ') });
  }
  return { findings };
}

/** Returns Slack's answer, or a sentence that says why there is none. */
async function ask(url: URL, fields: Record<string, string>) {
  for (let tries = 1; ; tries += 1) {
    const signal = AbortSignal.timeout(deadlineMs);
    const body = new URLSearchParams(fields);
    const reply = await fetch(url, { method: 'POST', body, signal }).catch((error: unknown) => {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      const why = cause instanceof Error ? cause.message || cause.name : String(cause);
      return `${url.host} cannot be reached (${why}). Is there a network here?`;
    });
    if (typeof reply === 'string') return reply;
    if (reply.status === 429 && tries < mostTries) {
      await wait(Number(reply.headers.get('retry-after') ?? 1) * 1_000);
      continue;
    }
    const answer = answerSchema.safeParse(await reply.json().catch(() => undefined));
    if (answer.success) return answer.data;
    return `${url.host} answered ${reply.status} with something that is not Slack’s.`;
  }
}
