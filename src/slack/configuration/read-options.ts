/** The options of `/agent`: `key=value` before the prompt, `--dry-run` before it or as its last word. */

export const optionKeys = ['env', 'model', 'name', 'skill', 'preset', 'title'] as const;
export type OptionKey = (typeof optionKeys)[number];
export type AgentOptions = Partial<Record<OptionKey, string>>;
/** Where the value of each option begins, counted as `Mistake` does. */
export type OptionPlaces = Partial<Record<OptionKey, number>>;

/** `at` counts characters from 1, in the text after `/agent`, as a person would. */
export type Mistake = { problem: string; at: number };

export type ReadOptions =
  | { ok: true; options: AgentOptions; places: OptionPlaces; dryRun: boolean; rest: string }
  | { ok: false; mistake: Mistake };

const isKey = (text: string): text is OptionKey => (optionKeys as readonly string[]).includes(text);

/** Phones turn two hyphens into a dash. */
const flagPattern = /^(?:--|—|–)([A-Za-z][\w-]*)(?=\s|$)/;
const endOfOptions = /^(?:--|—)(?=\s|$)/;
/** Whoever asks for it in the wrong place must not get a run all the same. */
const lastDryRun = /(?:^|\s)(?:--|—|–)dry-run$/i;
const keyPattern = /^([A-Za-z][\w-]*)=(?!=)/;

/** Reads options from `start` (an index into `text`) on; what follows them is the prompt. */
export function readOptions(text: string, start = 0): ReadOptions {
  const options: AgentOptions = {};
  const places: OptionPlaces = {};
  let dryRun = false;
  let index = skipSpace(text, start);
  for (;;) {
    const rest = text.slice(index);
    const end = endOfOptions.exec(rest);
    if (end) return { ok: true, options, places, dryRun, rest: rest.slice(end[0].length).trim() };
    const flag = flagPattern.exec(rest);
    if (flag) {
      if (flag[1]?.toLowerCase() !== 'dry-run') return wrong(text, index, unknownFlag(flag[0]));
      dryRun = true;
      index = skipSpace(text, index + flag[0].length);
      continue;
    }
    const key = keyPattern.exec(rest)?.[1];
    if (!key) {
      const prompt = rest.trim();
      const isLast = lastDryRun.test(prompt);
      const wanted = isLast ? prompt.replace(lastDryRun, '').trim() : prompt;
      return { ok: true, options, places, dryRun: dryRun || isLast, rest: wanted };
    }
    const name = key.toLowerCase();
    if (!isKey(name)) return wrong(text, index, unknownKey(key));
    if (options[name] !== undefined) return wrong(text, index, `\`${name}=\` is there twice.`);
    const valueIndex = index + key.length + 1;
    const value = readValue(text, valueIndex);
    if ('problem' in value) return wrong(text, value.index, value.problem);
    if (!value.text) return wrong(text, index, `\`${name}=\` has no value.`);
    options[name] = value.text;
    places[name] = placeOf(text, valueIndex);
    index = skipSpace(text, value.end);
  }
}

type Value = { text: string; end: number } | { problem: string; index: number };

/** Straight and curly quotes; whichever of its kind comes next closes. */
const quotes: [opens: string, closes: string][] = [
  ['"“”„‟«', '"“”‟»'],
  ["'‘’‚‛", "'‘’‛"],
];

function readValue(text: string, start: number): Value {
  const opening = text.charAt(start);
  const closes = opening && quotes.find(([opens]) => opens.includes(opening))?.[1];
  if (!closes) {
    const [bare = ''] = /^\S*/.exec(text.slice(start)) ?? [];
    return { text: bare, end: start + bare.length };
  }
  let value = '';
  for (let index = start + 1; index < text.length; index += 1) {
    const character = text.charAt(index);
    const next = text.charAt(index + 1);
    if (character === '\\' && (closes.includes(next) || next === '\\') && next) {
      value += next;
      index += 1;
    } else if (closes.includes(character) && (next === '' || /\s/.test(next))) {
      return { text: value.trim(), end: index + 1 };
    } else value += character;
  }
  return { problem: `The quote ${opening} is never closed.`, index: start };
}

function skipSpace(text: string, index: number): number {
  return index + (/^\s*/.exec(text.slice(index))?.[0].length ?? 0);
}

const known = optionKeys.map((key) => `\`${key}=\``).join(', ');
const force = 'Put `-- ` before the prompt if this is part of it.';
const unknownKey = (key: string) =>
  `I do not know the option \`${key}=\`. I know ${known}. ${force}`;
const unknownFlag = (flag: string) => `I do not know \`${flag}\`, only \`--dry-run\`. ${force}`;

function wrong(text: string, index: number, problem: string): ReadOptions {
  return { ok: false, mistake: { problem, at: placeOf(text, index) } };
}

const placeOf = (text: string, index: number) => [...text.slice(0, index)].length + 1;
