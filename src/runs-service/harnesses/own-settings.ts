import { readFile } from 'node:fs/promises';
import { parse as parseToml } from 'smol-toml';
import { ExplainedError } from '../../lib/explained-error.ts';

export type Settings = Record<string, unknown>;

/**
 * The settings that an environment already has for its agent; empty when the file doesn't exist.
 * @throws ExplainedError when there is a file that can't be read: a run without the operator's settings could send code
 * to another provider
 */
export const readJsonFile = (file: string) => readSettings(file, parseJson);
export const readTomlFile = (file: string) => readSettings(file, parseToml);

/** Settings that were given as the value of a variable. */
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
  throw unreadable(place, new Error('they are not a table of names and values'));
}

function unreadable(place: string, error: unknown): ExplainedError {
  const why = error instanceof Error ? error.message : String(error);
  return new ExplainedError(`The settings in ${place} can't be read: ${why}`, { cause: error });
}

const commentsAndCommas =
  /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*[}\]])/g;

/** JSON as agents take it: with comments, and with a comma after the last value. */
function parseJson(text: string): unknown {
  return JSON.parse(text.replace(commentsAndCommas, (_, string?: string) => string ?? ''));
}

const isTable = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

export const tableOf = (value: unknown): Settings => (isTable(value) ? value : {});
