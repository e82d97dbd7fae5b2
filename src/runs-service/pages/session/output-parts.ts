import { readSteps } from '../../harnesses/steps/read-steps.ts';
import { stepView } from './step-view.ts';
import { type TerminalStyle, terminalLines } from './terminal-lines.ts';

export type OutputParts = {
  /** Each line as safe HTML, to be put one after the other: text with its line end, or the steps that it stands for. */
  parts: string[];
  /** The style that the next line begins with. */
  style: TerminalStyle | undefined;
};

/** Output as HTML: events of known harnesses as steps, everything else as a terminal would show it. */
export function outputParts(output: string, from?: TerminalStyle): OutputParts {
  let style = from;
  const pieces = output.split('\n');
  const parts = pieces.map((line, index) => {
    const steps = readSteps(line);
    if (steps) return steps.map(stepView).join('');
    const rendered = terminalLines(line, style);
    style = rendered.style;
    return rendered.lines.join('') + (index < pieces.length - 1 ? '\n' : '');
  });
  return { parts: parts.filter((part) => part !== ''), style };
}
