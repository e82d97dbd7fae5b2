import {
  type AgentCapabilities,
  type ClientConnection,
  type McpServer,
  methods,
  type NewSessionResponse,
  type SessionConfigOption,
} from '@agentclientprotocol/sdk';
import type { McpServerConfig } from 'runs-client/contract';
import { z } from 'zod';
import type { AgentConversation } from '../harness.ts';

type OpenRequest = {
  agent: ClientConnection['agent'];
  can: AgentCapabilities | undefined;
  conversation: AgentConversation;
  cwd: string;
  mcpServers: McpServer[];
  /**
   * Turns replay mode on or off. It's on while an agent loads a session, because the agent repeats earlier messages
   * then.
   */
  replay: (isOn: boolean) => void;
};

/** Continues the session of an earlier run if the agent can, or else starts a new one. */
export async function openAcpSession(request: OpenRequest): Promise<NewSessionResponse> {
  const { agent, conversation, cwd, mcpServers } = request;
  const sessionId = conversation.sessionId();
  if (sessionId !== undefined) {
    try {
      const session = await continueSession(request, sessionId);
      return { ...session, sessionId };
    } catch (error) {
      // Start a new session after any error. If the connection is closed, the next request fails with that error.
      await conversation.startOver(error instanceof Error ? error.message : String(error));
    }
  }
  const session = await agent.request(methods.agent.session.new, { cwd, mcpServers });
  conversation.learnSession(session.sessionId);
  return session;
}

async function continueSession(
  { agent, can, cwd, mcpServers, replay }: OpenRequest,
  sessionId: string,
): Promise<Omit<NewSessionResponse, 'sessionId'>> {
  const session = { sessionId, cwd, mcpServers };
  if (can?.sessionCapabilities?.resume)
    return (await agent.request(methods.agent.session.resume, session)) ?? {};
  if (!can?.loadSession) throw new Error("It can't load sessions.");
  replay(true);
  try {
    return (await agent.request(methods.agent.session.load, session)) ?? {};
  } finally {
    replay(false);
  }
}

const pairs = (values: Record<string, string> = {}) =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

/** Converts MCP servers to the protocol's format. `skipped` has the names of servers that the agent can't reach. */
export function acpServers(
  servers: readonly [name: string, server: McpServerConfig][],
  canHttp: boolean,
): { servers: McpServer[]; skipped: string[] } {
  const isReachable = ([, { url }]: (typeof servers)[number]) => url === undefined || canHttp;
  return {
    skipped: servers.filter((each) => !isReachable(each)).map(([name]) => name),
    servers: servers
      .filter(isReachable)
      .map(([name, { command = '', args = [], env, url, headers }]) =>
        url === undefined
          ? { name, command, args, env: pairs(env) }
          : { type: 'http' as const, name, url, headers: pairs(headers) },
      ),
  };
}

/**
 * Schema of sign-in methods that read keys from variables. The protocol's stable schema doesn't include them yet, but
 * `codex-acp` requires them.
 */
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

/**
 * Signs in with the method that reads its keys from variables, if the environment sets them all. Only the method's ID
 * is sent, not the key.
 */
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

type Agent = ClientConnection['agent'];
type Session = Pick<NewSessionResponse, 'sessionId' | 'modes' | 'configOptions'>;

/** Sets the requested model and mode. Returns notes on those that the agent doesn't offer. */
export async function makeChoices(
  agent: Agent,
  session: Session,
  { model, mode }: { model: string | undefined; mode: string | undefined },
): Promise<string[]> {
  const notes: string[] = [];
  if (model !== undefined && !(await setOption(agent, session, 'model', model)))
    notes.push(`The agent doesn't offer model "${model}", so it uses its own`);
  if (mode !== undefined && !(await setMode(agent, session, mode)))
    notes.push(`The agent doesn't offer mode "${mode}", so it uses its own`);
  return notes;
}

async function setMode(agent: Agent, session: Session, modeId: string): Promise<boolean> {
  const { sessionId, modes } = session;
  if (!modes?.availableModes.some(({ id }) => id === modeId))
    return setOption(agent, session, 'mode', modeId);
  await agent.request(methods.agent.session.setMode, { sessionId, modeId });
  return true;
}

async function setOption(
  agent: Agent,
  { sessionId, configOptions }: Session,
  category: string,
  value: string,
): Promise<boolean> {
  const option = configOptions?.find((each) => each.category === category || each.id === category);
  if (!option || !valuesOf(option).includes(value)) return false;
  const request = { sessionId, configId: option.id, value };
  await agent.request(methods.agent.session.setConfigOption, request);
  return true;
}

const valuesOf = (option: SessionConfigOption): string[] =>
  option.type === 'select'
    ? option.options.flatMap((each) =>
        'value' in each ? [each.value] : each.options.map(({ value }) => value),
      )
    : [];
