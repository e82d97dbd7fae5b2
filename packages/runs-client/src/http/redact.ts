/** Shorter texts would garble the words of a message. */
const shortest = 8;

/**
 * Texts of a request that a service may echo and that must not get into errors, which are logged: the key, what people
 * wrote (prompt, message, base prompt) and the configuration of MCP servers.
 */
export function secretTexts(body: unknown, key: string): string[] {
  const texts = [key];
  for (const [name, value] of membersOf(body)) {
    if (typeof value === 'string') texts.push(value);
    if (name !== 'config') continue;
    for (const [inner, each] of membersOf(value)) {
      if (inner === 'base_prompt' || inner === 'mcp_servers') texts.push(...stringsIn(each));
    }
  }
  // An echo may be quoted as JSON.
  const escaped = texts.map((text) => JSON.stringify(text).slice(1, -1));
  return [...new Set([...texts, ...escaped])].filter((text) => text.length >= shortest);
}

export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text);
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return membersOf(value).flatMap(([, each]) => stringsIn(each));
}

function membersOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
