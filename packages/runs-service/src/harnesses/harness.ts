import type { Readable } from 'node:stream';
import type { McpServerConfig, RunStatusMessage } from 'runs-client/contract';
import type { FieldValues, QuestionField } from 'runs-client/question-fields';
import type { CommandTemplate, CommandValues } from './agent-command.ts';

export type PermissionPolicy = {
  /** Answer to an agent that asks before it uses a tool. */
  mode: 'allow' | 'ask' | 'deny';
  /** Tools that are always allowed, by kind (`read`, `edit`, `execute`), name or title. */
  tools: readonly string[];
};

export type AgentFailure = { state: 'FAILED'; status: RunStatusMessage };

type AgentProcess = {
  argv: readonly string[];
  variables: Record<string, string>;
  input: string | Readable;
  /** Converts standard output into the lines to record and to read steps from. */
  translate?: (chunk: Buffer) => Buffer;
  /** Signal that ends the process. By default, only the end of the run does. */
  signal?: AbortSignal;
};

/** Mask that replaces secrets in a stream of chunks. */
export type SecretMask = { push(chunk: Buffer): Buffer; flush(): Buffer };

export type AgentQuestion = {
  text: string;
  details?: string;
  options: { id: string; label: string; kind: string }[];
  acceptsText: boolean;
  /** Fields of the question, if it's a form. */
  fields?: QuestionField[];
};
export type PersonAnswer = { optionId: string } | { text: string } | { values: FieldValues };

/** Conversation of a run, which lets the agent continue the session of an earlier run. */
export type AgentConversation = {
  /** Returns the session to continue, if there is one. */
  sessionId(): string | undefined;
  learnSession(id: string): void;
  /** Returns the text of the first prompt. In a new session, it starts with the earlier conversation. */
  opening(text: string): Promise<string>;
  /**
   * Gives up a session after the agent failed in it, so that a new one can start. Returns false if the agent used tools
   * in the session, because its changes may be incomplete.
   */
  startOver(why: string): Promise<boolean>;
};

/** Input and functions that a harness gets to run an agent. */
export type AgentContext = {
  command: CommandTemplate;
  values: CommandValues;
  variables: Record<string, string>;
  cwd: string;
  servers: [name: string, server: McpServerConfig][];
  /** Text before the first prompt, for agents without an option for a base prompt. */
  basePrompt: string | undefined;
  /** Session mode that the environment sets. */
  mode: string | undefined;
  permissions: PermissionPolicy;
  /** Runs a process in the sandbox. Returns its failure, if any. */
  run: (process: AgentProcess) => Promise<AgentFailure | undefined>;
  /** Asks a person. Returns undefined if nobody answers in time. */
  ask: (question: AgentQuestion) => Promise<PersonAnswer | undefined>;
  openMask: () => SecretMask;
  note: (text: string) => Promise<void>;
  conversation: AgentConversation;
  /** Aborts when the run has to end. */
  signal: AbortSignal;
};

export type AgentPrompt = {
  text: string;
  /** Images in base64, for agents that accept images. The prompt's text names the images' files. */
  images?: readonly { mimeType: string; data: string }[];
  /**
   * Variables of the agent's process for this prompt. They replace those of the context, because they name the prompt's
   * file.
   */
  variables: Record<string, string>;
};

export type AgentSession = {
  /** Sends a prompt and waits for the end of the agent's turn. Returns the failure, if any. */
  prompt(prompt: AgentPrompt): Promise<AgentFailure | undefined>;
  /** Ends the session. When this resolves, no process of the agent runs. */
  close(): Promise<void>;
};

/** Opens a session with an agent. Each harness implements one way to communicate with agents. */
export type Harness = (context: AgentContext) => AgentSession;
