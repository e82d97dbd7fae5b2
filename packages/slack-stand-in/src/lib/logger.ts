/** Logs problems of the stand-in itself. A pino logger has this type. */
export type Logger = { error: (details: object, message: string) => void };

export const stderrLogger: Logger = {
  error: ({ err, ...details }: { err?: unknown }, message) =>
    void process.stderr.write(`${message} ${JSON.stringify(details)}\n${describe(err)}`),
};

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.stack ?? error.message}\n` : '';
