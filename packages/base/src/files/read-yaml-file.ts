import { readFileSync } from 'node:fs';
import { isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { ExplainedError } from '../explained-error.ts';

/**
 * Reads a YAML or JSON file that an operator writes.
 * @param what kind of file for the error, such as "environments file"
 * @throws ExplainedError that names the file, the line and the mistake
 */
export function readYamlFile<T>(file: string, what: string, schema: z.ZodType<T>): T {
  const lines = new LineCounter();
  const document = parseDocument(readText(file, what), { lineCounter: lines });
  const [error] = document.errors;
  if (error)
    throw new ExplainedError(`Can't read the ${what} ${file}: ${error.message}`, { cause: error });
  const read = schema.safeParse(document.toJS());
  if (read.success) return read.data;
  const issues = read.error.issues.map((issue) => {
    const { path } = issue;
    const message = (issue.code === 'invalid_key' && issue.issues[0]?.message) || issue.message;
    const line = lineOf(path);
    const place = path.join('.') || 'the file';
    return `  ${line ? `line ${line}, ` : ''}${place}: ${message}`;
  });
  throw new ExplainedError(`The ${what} ${file} has mistakes. Fix these:\n${issues.join('\n')}`);

  /** Returns the line number of a value, or of the object that should contain it. */
  function lineOf(path: readonly PropertyKey[]): number | undefined {
    for (let length = path.length; length > 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return undefined;
  }
}

function readText(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ExplainedError(`Can't read the ${what} ${file}: ${why}`, { cause: error });
  }
}
