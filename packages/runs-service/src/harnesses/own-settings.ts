import { ExplainedError } from 'base/explained-error';
import { parse as parseToml } from 'smol-toml';

export type Settings = Record<string, unknown>;

/**
 * Functions that read the settings files that an environment already has for its agent. They read in the sandbox,
 * because an agent can write to some of these files. Failures throw `unreadable`.
 */
export type OwnFiles = {
  /** Returns the file's content, or undefined if there is no such file. */
  read(file: string): Promise<string | undefined>;
  /** Returns the names of a folder's entries. Returns none if there is no such folder. */
  list(folder: string): Promise<string[]>;
};

/**
 * Reads the settings that an environment already has for its agent. Returns an empty object if there is no file.
 * @throws ExplainedError if the file can't be read, because a run without the operator's settings could send code to
 * another provider
 */
export const readJsonFile = (own: OwnFiles, file: string) => readSettings(own, file, parseJson);
export const readTomlFile = (own: OwnFiles, file: string) => readSettings(own, file, parseToml);

export const readJsonVariable = (name: string, value: string | undefined) =>
  value === undefined ? {} : parsed(name, value, parseJson);

async function readSettings(
  own: OwnFiles,
  file: string,
  parse: (text: string) => unknown,
): Promise<Settings> {
  const text = await own.read(file);
  return text === undefined ? {} : parsed(file, text, parse);
}

function parsed(source: string, text: string, parse: (text: string) => unknown): Settings {
  try {
    const settings = parse(text);
    if (isTable(settings)) return settings;
  } catch (error) {
    throw unreadable(source, error);
  }
  throw unreadable(source, new Error('expected an object'));
}

export function unreadable(source: string, error: unknown): ExplainedError {
  const why = error instanceof Error ? error.message : String(error);
  return new ExplainedError(`Can't read the settings in ${source}. Fix this: ${why}`, {
    cause: error,
  });
}

// Match comments and trailing commas outside of strings. Both patterns take linear time, even for text that an agent
// wrote to make them slow.
const comments = /("(?:\\.|[^"\\])*"?)|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)/g;
const trailingCommas = /("(?:\\.|[^"\\])*"?)|,(?=\s*[}\]])/g;

/** Parses JSON with comments and trailing commas, which the agents accept too. */
function parseJson(text: string): unknown {
  const bare = text.replace(comments, (_, string?: string) => string ?? ' ');
  return JSON.parse(bare.replace(trailingCommas, (_, string?: string) => string ?? ''));
}

const isTable = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

export const tableOf = (value: unknown): Settings => (isTable(value) ? value : {});
