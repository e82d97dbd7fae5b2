import {
  type ClientConnection,
  type ContentBlock,
  client,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import { sleep } from 'base/sleep';
import { fillCommand } from '../agent-command.ts';
import type { AgentContext, AgentFailure, AgentPrompt, Harness } from '../harness.ts';
import { endOf } from '../steps/acp-steps.ts';
import { elicit } from './acp-form.ts';
import { acpServers, makeChoices, openAcpSession, signIn } from './acp-open.ts';

import { answerPermissionRequest } from './acp-questions.ts';

import { createAcpStream } from './acp-stream.ts';

/** Time that a canceled or finished agent has to stop, in ms. */
const stopMs = 2_000;

/**
 * Runs an agent in one process for all prompts of a run, and communicates over the Agent Client Protocol.
 * https://agentclientprotocol.com
 */
export const agentClientProtocol: Harness = (context) => {
  const pipe = createAcpStream(context.openMask);
  const stopping = new AbortController();
  const { agent } = client({ name: 'slash-agent' })
    .onRequest(methods.client.session.requestPermission, ({ params }) =>
      answerPermissionRequest(context, params),
    )
    .onRequest(methods.client.elicitation.create, ({ params }) => elicit(context, params))
    .connect(pipe.stream);
  const running = { ended: false, failure: undefined as AgentFailure | undefined };
  let exit: Promise<void> | undefined;
  let sessionId: string | undefined;
  let takesImages = false;

  function start(variables: Record<string, string>): Promise<void> {
    const argv = fillCommand(context.command, context.values);
    const run = context.run({
      ...{ argv, variables, input: pipe.input, translate: pipe.push, signal: stopping.signal },
    });
    return run.then((failure) => {
      Object.assign(running, { ended: true, failure });
      pipe.end();
    });
  }

  /** Returns the agent's answer to a request. If the request fails or the process ends first, returns the failure. */
  async function answerOrFailure<T extends object>(request: Promise<T>): Promise<T | AgentFailure> {
    const answer = request.catch((error: unknown) => requestFailure(error));
    const first = await Promise.race([answer, exit?.then(() => undefined)]);
    if (!running.ended && first !== undefined) return first;
    // Wait for the end of the process, because its failure explains more than the closed connection.
    await exit;
    if (first !== undefined && !isFailure(first)) return first;
    return withHint(
      running.failure ?? failed('The agent ended before it answered.'),
      pipe.received(),
    );
  }

  async function open(variables: Record<string, string>): Promise<AgentFailure | undefined> {
    exit = start(variables);
    const session = await answerOrFailure(openSession(context, agent, pipe.replay));
    if (isFailure(session)) return session;
    sessionId = session.sessionId;
    takesImages = session.takesImages;
    return undefined;
  }

  async function sendPrompt(
    { text, images = [] }: AgentPrompt,
    isFirst: boolean,
  ): Promise<AgentFailure | undefined> {
    const opening = isFirst ? await context.conversation.opening(text) : text;
    const words = [isFirst ? context.basePrompt : undefined, opening].filter(Boolean).join('\n\n');
    const shown = takesImages ? images : [];
    const prompt: ContentBlock[] = [
      { type: 'text', text: words },
      ...shown.map((image) => ({ type: 'image' as const, ...image })),
    ];
    const turn = agent.request(methods.agent.session.prompt, {
      ...{ sessionId: sessionId ?? '', prompt },
    });
    const end = await answerOrFailure(turn);
    if (isFailure(end)) return end;
    const { ok, text: why } = endOf(end.stopReason);
    if (ok) return undefined;
    // Wait until the process ends, because a stopped process can cause this answer. Its failure gives the reason,
    // but the answer has none.
    if (end.stopReason === 'cancelled' && !context.signal.aborted)
      await Promise.race([exit, sleep(stopMs)]);
    return running.failure ?? failed(why);
  }

  /** Asks the agent to stop, and stops its process if it doesn't. */
  async function cancel(turn: Promise<unknown>): Promise<void> {
    if (sessionId !== undefined && !running.ended)
      await agent.notify(methods.agent.session.cancel, { sessionId });
    const patience = new AbortController();
    await Promise.race([turn, sleep(stopMs, patience.signal)]);
    patience.abort();
    stopping.abort();
  }

  return {
    async prompt(prompt) {
      const isFirst = exit === undefined;
      const turn = (async () =>
        (isFirst ? await open(prompt.variables) : undefined) ??
        (await sendPrompt(prompt, isFirst)))();
      const onAbort = () => void cancel(turn);
      context.signal.addEventListener('abort', onAbort, { once: true });
      if (context.signal.aborted) onAbort();
      const failure = await turn;
      context.signal.removeEventListener('abort', onAbort);
      return failure;
    },

    async close() {
      pipe.end();
      const patience = new AbortController();
      await Promise.race([exit, sleep(context.signal.aborted ? 0 : stopMs, patience.signal)]);
      patience.abort();
      stopping.abort();
      await exit;
    },
  };
};

async function openSession(
  context: AgentContext,
  agent: ClientConnection['agent'],
  replay: (isOn: boolean) => void,
) {
  const { cwd, servers, values, mode, note, conversation } = context;
  const {
    agentCapabilities: can,
    protocolVersion,
    authMethods,
  } = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    // Offer no files and no terminal, because agents read, write and run programs themselves in the sandbox.
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {} },
    },
    clientInfo: { name: 'slash-agent', title: 'slash-agent', version: '1' },
  });
  if (protocolVersion !== PROTOCOL_VERSION)
    throw new Error(
      `it speaks version ${protocolVersion} of the protocol, not ${PROTOCOL_VERSION}`,
    );
  const reachable = acpServers(servers, can?.mcpCapabilities?.http === true);
  if (reachable.skipped.length > 0)
    await note(`Skipped MCP servers that the agent can't reach: ${reachable.skipped.join(', ')}`);
  await signIn(agent, authMethods, context.variables);
  const session = await openAcpSession({
    ...{ agent, can, conversation, cwd, mcpServers: reachable.servers, replay },
  });
  for (const text of await makeChoices(agent, session, { model: values.model, mode }))
    await note(text);
  return { ...session, takesImages: can?.promptCapabilities?.image === true };
}

const failed = (message: string): AgentFailure => ({ state: 'FAILED', status: { message } });

const isFailure = (value: object): value is AgentFailure =>
  'state' in value && value.state === 'FAILED';

function requestFailure(error: unknown): AgentFailure {
  const words = error instanceof Error ? error.message : String(error);
  const details = error instanceof RequestError ? detailsOf(error.data) : undefined;
  return failed(`The agent answered with an error: ${[words, details].filter(Boolean).join(': ')}`);
}

/** Returns the details of an error. Agents name this field `details`, `message` or `error`. */
function detailsOf(data: unknown): string | undefined {
  if (typeof data === 'string') return data;
  if (typeof data !== 'object' || data === null) return undefined;
  const texts = ['details', 'message', 'error'].map((name): unknown => Reflect.get(data, name));
  return texts.find((text) => typeof text === 'string');
}

/**
 * Adds a hint to the failure if the agent never sent a protocol message. Such an agent probably doesn't speak the
 * protocol.
 */
function withHint(failure: AgentFailure, received: number): AgentFailure {
  if (received > 0) return failure;
  const hint =
    'It sent no message of the Agent Client Protocol. Check "command" of the environment.';
  return failed(`${failure.status.message}\n${hint}`);
}
