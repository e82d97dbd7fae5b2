import { readFile } from 'node:fs/promises';
import { parse as parseToml } from 'smol-toml';
import { ExplainedError } from '../../lib/explained-error.ts';

export type Settings = Record<string, unknown>;

/**
 * The settings that an environment already has for its agent; empty if there is no file.
 * @throws ExplainedError if the file can't be read. Without the operator's settings, a run could send code to another
 * provider.
 */
export const readJsonFile = (file: string) => readSettings(file, parseJson);
export const readTomlFile = (file: string) => readSettings(file, parseToml);

export const readJsonVariable = (name: string, value: string | undefined) =>
  value === undefined ? {} : parsed(name, value, parseJson);

async function readSettings(file: string, parse: (text: string) => unknown): Promise<Settings> {
  try {
    return parsed(file, await readFile(file, 'utf8'), parse);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw error instanceof ExplainedError ? error : unreadable(file, error);
  }
}

function parsed(place: string, text: string, parse: (text: string) => unknown): Settings {
  try {
    const settings = parse(text);
    if (isTable(settings)) return settings;
  } catch (error) {
    throw unreadable(place, error);
  }
  throw unreadable(place, new Error('expected an object'));
}

function unreadable(place: string, error: unknown): ExplainedError {
  const why = error instanceof Error ? error.message : String(error);
  return new ExplainedError(`Can't read the settings in ${place}. Fix this: ${why}`, {
    cause: error,
  });
}

const commentsAndCommas =
  /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*[}\]])/g;

/** Like the agents, accepts comments and trailing commas. */
function parseJson(text: string): unknown {
  return JSON.parse(text.replace(commentsAndCommas, (_, string?: string) => string ?? ''));
}

const isTable = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

export const tableOf = (value: unknown): Settings => (isTable(value) ? value : {});
