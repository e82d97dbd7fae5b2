import {
  type AgentCapabilities,
  type ClientConnection,
  type McpServer,
  methods,
  type NewSessionResponse,
} from '@agentclientprotocol/sdk';
import type { AgentConversation } from '../harness.ts';

export type OpenRequest = {
  agent: ClientConnection['agent'];
  can: AgentCapabilities | undefined;
  conversation: AgentConversation;
  cwd: string;
  mcpServers: McpServer[];
  /** While an agent loads a session, it repeats what was said. */
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
      // A closed connection fails the next request as well.
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
