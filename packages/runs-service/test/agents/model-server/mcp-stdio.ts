import { createInterface } from 'node:readline';
import { answerMcp } from './note-tool.ts';

/** Runs the MCP server as a program next to an agent. */
for await (const line of createInterface({ input: process.stdin })) {
  const answer = answerMcp(JSON.parse(line), 'stdio');
  if (answer) process.stdout.write(`${JSON.stringify(answer)}\n`);
}
