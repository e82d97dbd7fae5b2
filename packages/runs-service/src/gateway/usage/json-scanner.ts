import { createJsonTokenizer, type JsonMark } from './json-tokens.ts';

/**
 * Values to read from JSON, by key. `*` stands for every item of an array. `value` keeps the last value that isn't null,
 * a function adds its results, and `text` counts the bytes of all strings at and below its place.
 */
export type WantedValues = { [key: string]: WantedValue };
type WantedValue = WantedValues | 'value' | 'text' | ((value: string | number) => number);

/** Values of one JSON object by path, such as `usage.input_tokens`. */
export type FoundValues = ReadonlyMap<string, string | number>;

type Handlers = {
  /** Called at the end of each object, and of each item if the JSON is an array. */
  onObject: (values: FoundValues) => void;
  onText: (bytes: number) => void;
};

/** An open object or array that contains wanted values. `isKey` is true where its next key starts. */
type Frame = { wanted: WantedValues; isArray: boolean; path: string; key: string; isKey: boolean };

/**
 * Reads a few values from JSON that arrives in chunks. It keeps the open objects with wanted values and one short value,
 * however large the JSON is. It never throws; JSON that's wrong or cut has no further values.
 */
export function createJsonScanner(wanted: WantedValues, { onObject, onText }: Handlers) {
  const values = new Map<string, string | number>();
  let frames: Frame[] = [];
  let isInArray = false;
  /** Number of open objects and arrays that aren't in `frames`, because nothing in them is a wanted value. */
  let unwantedDepth = 0;
  let countsText = false;
  const tokens = createJsonTokenizer({ onMark, onStart, onValue, onCounted: onText });

  return {
    push: tokens.push,
    /** Forgets everything, so that the next byte starts new JSON. */
    reset(): void {
      tokens.reset();
      values.clear();
      frames = [];
      isInArray = countsText = false;
      unwantedDepth = 0;
    },
  };

  function onMark(mark: JsonMark): void {
    if (mark === 'close') close();
    else if (mark === '{' || mark === '[') open(mark === '[');
    else {
      const frame = unwantedDepth === 0 ? frames.at(-1) : undefined;
      if (frame && !frame.isArray) frame.isKey = mark === ',';
    }
  }

  function open(isArray: boolean): void {
    const frame = frames.at(-1);
    if (!frame && isArray && !isInArray && unwantedDepth === 0) {
      isInArray = true;
      return;
    }
    const inside = wantedHere();
    if (typeof inside !== 'object' || (isArray && !Object.hasOwn(inside, '*'))) {
      unwantedDepth += 1;
      if (inside === 'text') countsText = true;
      return;
    }
    const path = frame ? pathOf(frame) : '';
    frames.push({ wanted: inside, isArray, path, key: '', isKey: !isArray });
  }

  function close(): void {
    if (unwantedDepth > 0) {
      unwantedDepth -= 1;
      if (unwantedDepth === 0) countsText = false;
    } else if (frames.pop() && frames.length === 0) {
      onObject(values);
      values.clear();
    }
  }

  function onStart(): 'keep' | 'count' | 'skip' {
    if (countsText) return 'count';
    if (unwantedDepth === 0 && frames.at(-1)?.isKey) return 'keep';
    const here = wantedHere();
    if (here === 'text') return 'count';
    return here === undefined || typeof here === 'object' ? 'skip' : 'keep';
  }

  function onValue(value: string | number | undefined): void {
    const frame = frames.at(-1);
    if (!frame) return;
    if (frame.isKey) {
      frame.key = typeof value === 'string' ? value : '';
      return;
    }
    const here = wantedHere();
    const path = pathOf(frame);
    if (value === undefined) return;
    if (here === 'value') values.set(path, value);
    else if (typeof here === 'function')
      values.set(path, Number(values.get(path) ?? 0) + here(value));
  }

  /** Returns what is wanted of the value that starts here. */
  function wantedHere(): WantedValue | undefined {
    const frame = frames.at(-1);
    if (unwantedDepth > 0 || frame?.isKey) return;
    if (!frame) return wanted;
    const key = frame.isArray ? '*' : frame.key;
    return Object.hasOwn(frame.wanted, key) ? frame.wanted[key] : undefined;
  }
}

function pathOf({ path, key, isArray }: Frame): string {
  const name = isArray ? '*' : key;
  return path === '' ? name : `${path}.${name}`;
}
