/**
 * Next step of the model. One turn is one answer with one item. A slow one begins after some seconds, and its stream
 * pauses between events.
 */
export type Turn =
  | { say: string; afterSeconds?: number; secondsBetween?: number }
  /** Says what the pattern's group finds in the conversation. */
  | { recall: string }
  /** Call the agent's own tools: for the shell, for files, for its plan. */
  | { run: string }
  | { write: string; content: string }
  | { plan: string[] }
  /** Calls a tool of an MCP server. */
  | { mcp: string; input: Record<string, unknown> }
  /** Answers with this status, each time or only so many times. */
  | { fail: number; times?: number; retryAfterSeconds?: number }
  /** Never answers. */
  | { hang: true };

/** Turns by a phrase in the prompt that they answer. */
export type Script = Record<string, Turn[]>;

/** Request of an agent, in the words of no protocol. */
export type Asked = {
  model: string;
  /** In order. A message of the model is one turn. */
  messages: { from: 'system' | 'user' | 'model'; text: string }[];
  /** Names of the tools that the model can call. */
  tools: string[];
};

/** For requests beside the conversation, such as for a title. */
const beside: Turn = { say: 'Fine.' };

/** Nothing is kept between requests: the conversation shows how many turns were taken since its last prompt. */
export function findTurn(script: Script, { messages, tools }: Asked): Turn {
  if (tools.length === 0) return beside;
  const phrases = Object.keys(script);
  const phraseIn = (text: string) => phrases.find((phrase) => text.includes(phrase));
  const at = messages.findLastIndex(({ from, text }) => from === 'user' && phraseIn(text));
  const taken = messages.slice(at + 1).filter(({ from }) => from === 'model').length;
  return script[phraseIn(messages[at]?.text ?? '') ?? '']?.[taken] ?? beside;
}
