/** Three times as many as 100 MCP servers with ten variables each. Checking one takes up to seven microseconds. */
const maxElements = 10_000;
/** More than any request needs, and safe for recursion. */
const maxDepth = 100;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts the elements and levels of JSON while its bytes arrive, because parsing and checking millions of them would
 * stall everyone else. Bytes inside strings are cheap, so they only count for the size of the body.
 * @returns a function that takes the next bytes and returns the problem, once there is one
 */
export function createJsonBounds(): (bytes: Uint8Array) => string | undefined {
  let isInString = false;
  let isEscaped = false;
  let elements = 0;
  let depth = 0;

  function takeInString(byte: number): void {
    if (isEscaped) isEscaped = false;
    else if (byte === backslash) isEscaped = true;
    else if (byte === quote) isInString = false;
  }

  function takeOutside(byte: number): void {
    if (byte === quote) isInString = true;
    else if (byte === comma || byte === colon) elements += 1;
    else if (byte === closeList || byte === closeObject) depth -= 1;
    else if (byte === openList || byte === openObject) {
      elements += 1;
      depth += 1;
    }
  }

  return (bytes) => {
    for (const byte of bytes) {
      if (isInString) takeInString(byte);
      else takeOutside(byte);
      if (depth > maxDepth)
        return `The body is nested more than ${maxDepth} levels deep. Send a flatter one.`;
      if (elements > maxElements)
        return `The body has more than ${maxElements} elements. Send a smaller one.`;
    }
    return undefined;
  };
}
