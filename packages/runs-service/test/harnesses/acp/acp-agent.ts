import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';

/**
 * Fake ACP agent that performs its prompt, a JSON array of actions. The first argument sets how it misbehaves before
 * that.
 */
type Action =
  | { update: SessionUpdate }
  | { permit: { kind?: string; name?: string; title: string; rawInput?: unknown } }
  | { elicit: { message: string; field: object; more?: Record<string, object> } }
  | { print: string }
  | { write: string; to: string }
  /** Crashes with this exit code, at once or when the file `once` exists. */
  | { crash: number; once?: string }
  | { reject: string }
  | { waitForCancel: true }
  | { hang: true }
  | { end: StopReason };

const [, , manner = ''] = process.argv;
const sessionId = 'session-1';
const never = () => new Promise<void>((resolve) => setTimeout(resolve, 3_600_000));
let signedInWith: string | undefined;
const signInMethods = [
  { id: 'browser', name: 'In a browser' },
  { id: 'other', name: 'Other', type: 'env_var', vars: [{ name: 'OTHER_KEY' }] },
  { id: 'with-a-key', name: 'Key', type: 'env_var', vars: [{ name: 'A_KEY' }] },
];
const cancels = new AbortController();
const prompts: string[] = [];
/** Folder in which the agent keeps its sessions. */
const sessions = join(process.env['HOME'] ?? '', '.sessions');
mkdirSync(sessions, { recursive: true });
const sessionFile = join(sessions, `${sessionId}.json`);
const recall = () => prompts.push(...(JSON.parse(readFileSync(sessionFile, 'utf8')) as string[]));

if (manner === 'nonsense') {
  writeSync(
    1,
    '{"jsonrpc":"2.0","id":99,"result":{}}\nWarning: {\n[]\n\u0000\n{"jsonrpc":"2.0"}\n',
  );
  process.exit(0);
}
if (manner === 'silent') await never();
if (manner === 'stops politely') process.on('SIGTERM', () => cancels.abort());
if (manner === 'crash at start') process.exit(7);

agent({ name: 'test agent' })
  .onRequest(methods.agent.initialize, () => {
    if (manner === 'crash at initialize') process.exit(8);
    return {
      protocolVersion: 1,
      agentCapabilities: {
        mcpCapabilities: { http: manner !== 'stdio only' },
        promptCapabilities: { image: manner === 'sees images' },
        loadSession: manner === 'loads sessions',
        ...(manner === 'resumes sessions' && { sessionCapabilities: { resume: {} } }),
      },
      authMethods: manner === 'wants a key' ? signInMethods : [],
    };
  })
  .onRequest(methods.agent.authenticate, ({ params }) => {
    signedInWith = params.methodId;
    return {};
  })
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (manner === 'wants a key' && signedInWith !== 'with-a-key')
      throw RequestError.authRequired();
    if (manner === 'crash at session') process.exit(9);
    writeFileSync('session.json', JSON.stringify(params));
    const option = (value: string) => ({ value, name: value });
    return {
      sessionId,
      modes: { currentModeId: 'plan', availableModes: [{ id: 'build', name: 'Build' }] },
      configOptions: [
        {
          type: 'select',
          id: 'm',
          name: 'Model',
          category: 'model',
          currentValue: 'small',
          options: [option('small'), option('big')],
        },
      ],
    };
  })
  .onRequest(methods.agent.session.load, async ({ client }) => {
    recall();
    const content = { type: 'text' as const, text: 'said before' };
    const update = { sessionUpdate: 'agent_message_chunk' as const, content };
    await client.notify(methods.client.session.update, { sessionId, update });
    return {};
  })
  .onRequest(methods.agent.session.resume, () => {
    recall();
    return {};
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    writeFileSync('mode.txt', params.modeId);
    return {};
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    writeFileSync('model.txt', String(params.value));
    return { configOptions: [] };
  })
  .onNotification(methods.agent.session.cancel, () => cancels.abort())
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const [block] = params.prompt;
    const text = block?.type === 'text' ? block.text : '';
    prompts.push(text);
    for (const file of ['prompts.json', sessionFile]) writeFileSync(file, JSON.stringify(prompts));
    const images = params.prompt.filter(({ type }) => type === 'image');
    if (images.length > 0) writeFileSync('images.json', JSON.stringify(images));
    const parts = text.split('\n\n');
    const actions: Action[] = JSON.parse(parts.findLast((part) => part.startsWith('[')) ?? '');
    for (const action of actions) {
      const stopReason = await perform(action, client);
      if (stopReason) return { stopReason };
    }
    return { stopReason: 'end_turn', usage: { totalTokens: 12, inputTokens: 8, outputTokens: 4 } };
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );

async function perform(action: Action, client: AgentContext): Promise<StopReason | undefined> {
  if ('update' in action)
    await client.notify(methods.client.session.update, { sessionId, update: action.update });
  if ('permit' in action) await askFor(action.permit, client);
  if ('elicit' in action) await fillForm(action.elicit, client);
  if ('print' in action) writeSync(1, action.print);
  if ('write' in action) writeFileSync(action.to, action.write);
  if ('crash' in action) {
    const { crash, once } = action;
    const look = () => {
      if (once === undefined || existsSync(once)) process.exit(crash);
      setTimeout(look, 20);
    };
    look();
  }
  if ('reject' in action) throw new Error(action.reject);
  if ('hang' in action) await never();
  if ('waitForCancel' in action) {
    await new Promise((resolve) => cancels.signal.addEventListener('abort', resolve));
    writeFileSync('canceled.txt', 'yes');
    return 'cancelled';
  }
  return 'end' in action ? action.end : undefined;
}

async function askFor(tool: Extract<Action, { permit: object }>['permit'], client: AgentContext) {
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId: 'call-1', ...(tool as object) },
    options: [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'always', name: 'Yes, always', kind: 'allow_always' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  });
  const said = outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
  appendFileSync('notes.txt', `permission: ${said}\n`);
}

async function fillForm(
  { message, field, more }: { message: string; field: object; more?: Record<string, object> },
  client: AgentContext,
) {
  const answer = await client.request(methods.client.elicitation.create, {
    sessionId,
    mode: 'form',
    message,
    requestedSchema: {
      type: 'object',
      properties: { color: { type: 'string', ...field }, ...more },
    },
  });
  appendFileSync('notes.txt', `form: ${JSON.stringify(answer)}\n`);
}
