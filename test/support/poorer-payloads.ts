export type JsonObject = Record<string, unknown>;

/** Yields copies of the payload that each lack one member, at any depth. */
export function* poorer(value: JsonObject): Generator<JsonObject> {
  for (const [name, part] of Object.entries(value)) {
    const { [name]: _, ...without } = value;
    if (name !== 'type') yield without;
    if (typeof part === 'object' && part !== null && !Array.isArray(part))
      for (const each of poorer(part as JsonObject)) yield { ...value, [name]: each };
    if (Array.isArray(part)) yield { ...value, [name]: [{}] };
  }
}
