/** Finds the place where a text stops being JSON, in words for its author. Parsers don't always report the place. */

/** `at` is an index into the text. */
export type JsonMistake = { at: number; problem: string };

const space = /[ \t\r\n]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
const string = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/uy;

/** Undefined for valid JSON without repeated names. */
export function findJsonMistake(text: string): JsonMistake | undefined {
  let index = 0;
  let mistake: JsonMistake | undefined;

  if (readValue() && index < text.length) fail('unexpected text after the end');
  return mistake;

  function readValue(): boolean {
    take(space);
    const read = isValue();
    take(space);
    return read;
  }

  function isValue(): boolean {
    if (text[index] === '{') return readList('}', readMember(new Set()));
    if (text[index] === '[') return readList(']', readValue);
    if (text[index] === '"') return readString();
    return take(number) !== '' || take(word) !== '' || fail('expected a value');
  }

  function readList(end: string, readItem: () => boolean): boolean {
    index += 1;
    take(space);
    if (skip(end)) return true;
    do {
      if (!readItem()) return false;
    } while (skip(','));
    return skip(end) || fail(`expected a comma or ${end}`);
  }

  function readMember(names: Set<string>) {
    return () => {
      take(space);
      const start = index;
      if (text[index] !== '"') return fail('expected a name in straight quotes');
      if (!readString()) return false;
      const name = text.slice(start, index);
      if (names.has(name)) return fail(`the name ${name.slice(0, 40)} appears twice`, start);
      names.add(name);
      take(space);
      return skip(':') ? readValue() : fail('expected a colon');
    };
  }

  function readString(): boolean {
    const start = index;
    take(string);
    if (skip('"')) return true;
    if (text[index] === '\\') return fail('this backslash must be written as \\\\');
    const isOpen = index >= text.length || text[index] === '\n';
    return isOpen
      ? fail('this text has no closing quote', start)
      : fail('this character must be written as \\u…');
  }

  /** The text that the pattern matches here; empty if it doesn't match. */
  function take(pattern: RegExp): string {
    pattern.lastIndex = index;
    const [found = ''] = pattern.exec(text) ?? [];
    index += found.length;
    return found;
  }

  function skip(sign: string): boolean {
    if (text[index] !== sign) return false;
    index += 1;
    return true;
  }

  function fail(problem: string, at = index): false {
    const isOver = at >= text.length;
    mistake = { at, problem: isOver ? `${problem}, but the text ends` : problem };
    return false;
  }
}
