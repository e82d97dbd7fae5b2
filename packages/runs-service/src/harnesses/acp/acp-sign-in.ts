import { type ClientConnection, methods } from '@agentclientprotocol/sdk';
import { z } from 'zod';

/** A method that reads keys from variables, which isn't in the stable schema yet but `codex-acp` insists on it. */
const keyMethods = z.array(
  z.union([
    z.object({
      type: z.literal('env_var'),
      id: z.string(),
      vars: z.array(z.object({ name: z.string() })).min(1),
    }),
    z.unknown().transform(() => undefined),
  ]),
);

/** Tells the agent which of the environment's keys to use, if it asks for that. The key itself isn't sent. */
export async function signIn(
  agent: ClientConnection['agent'],
  methodsOffered: unknown,
  variables: Record<string, string>,
): Promise<void> {
  const { data: offered = [] } = keyMethods.safeParse(methodsOffered);
  const method = offered.find((each) =>
    each?.vars.every(({ name }) => Object.hasOwn(variables, name)),
  );
  if (method) await agent.request(methods.agent.authenticate, { methodId: method.id });
}
