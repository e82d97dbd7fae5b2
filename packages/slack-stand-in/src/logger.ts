type Log = (details: object, message: string) => void;

/** What the stand-in logs with: a pino logger fits, and so does any object with these methods. */
export type Logger = { info: Log; error: Log };
