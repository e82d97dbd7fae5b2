/**
 * Next step of the model. One turn is one answer with one item. A slow answer begins after some seconds, and its stream
 * pauses between events.
 */
export type Turn =
  | { say: string; afterSeconds?: number; secondsBetween?: number }
  /** Answers with the text that the pattern's group matches in the conversation. */
  | { recall: string }
  /** Calls the agent's own tools: for the shell, for files, or for its plan. */
  | { run: string }
  | { write: string; content: string }
  | { plan: string[] }
  /** Calls a tool of an MCP server. */
  | { mcp: string; input: Record<string, unknown> }
  /** Fails with this status, always or only `times` times. */
  | { fail: number; times?: number; retryAfterSeconds?: number }
  /** Accepts the request and never answers. */
  | { hang: true };

/** Turns by a phrase of the prompt that they answer. */
export type Script = Record<string, Turn[]>;

/** Request of an agent, independent of the protocol. */
export type Asked = {
  model: string;
  /** Messages in order. Each of the model's messages was one turn. */
  messages: { from: 'system' | 'user' | 'model'; text: string }[];
  /** Names of the tools that the model can call. */
  tools: string[];
};

/** Answer to other requests than those of the conversation, such as for a title. */
const beside: Turn = { say: 'Fine.' };

/** Finds the next turn without any state. The conversation shows how many turns were taken since its last prompt. */
export function findTurn(script: Script, { messages, tools }: Asked): Turn {
  if (tools.length === 0) return beside;
  const phrases = Object.keys(script);
  const phraseIn = (text: string) => phrases.find((phrase) => text.includes(phrase));
  const at = messages.findLastIndex(({ from, text }) => from === 'user' && phraseIn(text));
  const taken = messages.slice(at + 1).filter(({ from }) => from === 'model').length;
  return script[phraseIn(messages[at]?.text ?? '') ?? '']?.[taken] ?? beside;
}
