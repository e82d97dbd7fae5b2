import { z } from 'zod';
import { DemoFailure } from './demo-failure.ts';

/** Model that the demo agent asks before each step. */
export type Model = (message: string) => Promise<string>;

const eventSchema = z.looseObject({
  delta: z.looseObject({ text: z.string().optional() }).optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});

/**
 * Returns the model behind the model gateway, with the run's token in place of a key. Returns undefined if the environment
 * has no models, and the agent then works without one.
 */
export function createModel(variables: Record<string, string | undefined>): Model | undefined {
  const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: token } = variables;
  if (!url || !token) return;
  return async (message) => {
    const messages = [{ role: 'user', content: message }];
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': token },
      body: JSON.stringify({ model: 'demo-1', max_tokens: 1000, stream: true, messages }),
    });
    const body = await response.text();
    const lines = response.ok
      ? body.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
      : [body];
    const events = lines.map((line) => eventSchema.parse(JSON.parse(line)));
    const problem = events.find(({ error }) => error)?.error;
    if (problem) throw new DemoFailure(problem.message);
    return events.map(({ delta }) => delta?.text ?? '').join('');
  };
}
