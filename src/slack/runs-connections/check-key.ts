import type { RunsClient } from 'runs-client';
import { RunsApiError } from 'runs-client/runs-api-error';
import { PrivateAddressError } from 'runs-client/shared-dispatcher';
import { connectionNameSchema, operatorConnection } from '../../requests/connection.ts';

type KeyErrors = { name?: string; url?: string; key?: string };

/** Someone waits, and sees that it takes long. */
const callOptions = { timeoutMs: 10_000, maxRetries: 0 } as const;

/** What is wrong with what someone typed, before anything is sent. */
export function findTypos({ name, url, key }: { name?: string; url?: string; key: string }) {
  const errors: KeyErrors = {
    ...(name !== undefined && nameProblem(name)),
    ...(url !== undefined && !isServiceUrl(url) && { url: badUrl }),
    ...(!/^[\x21-\x7e]{1,1000}$/.test(key) && { key: badKey }),
  };
  return errors;
}

function nameProblem(name: string): KeyErrors {
  if (name === operatorConnection) return { name: operatorsName };
  return connectionNameSchema.safeParse(name).success ? {} : { name: badName };
}

function isServiceUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash, pathname } = new URL(text);
  const isPlain = !username && !password && !search && !hash;
  return isPlain && /^https?:$/.test(protocol) && pathname.endsWith('/api/v1');
}

/** Asks the service for one run. Undefined if it takes the key. */
export async function findKeyErrors(create: () => RunsClient): Promise<KeyErrors | undefined> {
  try {
    await create().runs.list({ limit: 1 }, callOptions);
    return undefined;
  } catch (error) {
    // The client refuses an address that would send the key unencrypted.
    if (error instanceof TypeError) return { url: badUrl };
    if (!(error instanceof RunsApiError)) throw error;
    return errorsOf(error);
  }
}

function errorsOf({ code, cause }: RunsApiError): KeyErrors | undefined {
  switch (code) {
    case 'unauthorized':
      return { key: 'The runs service refuses this key.' };
    // It knows the key, which may do other things.
    case 'forbidden':
      return undefined;
    case 'not_found':
    case 'bad_response':
    case 'bad_request':
    case 'client_error':
      return { url: "There's no runs API at this address." };
    case 'connection':
      return { url: cause instanceof PrivateAddressError ? privateAddress : unreachable };
    default:
      return { key: "The runs service couldn't check this key. Try again in a moment." };
  }
}

const badName = 'Use up to 40 lowercase letters, digits, dots, hyphens and underscores.';
const operatorsName = `"${operatorConnection}" is the connection of the app's operator. Choose another name.`;
const badUrl = 'Enter an https URL that ends in /api/v1.';
const badKey = 'A key has no spaces or line breaks.';
const unreachable = "The runs service can't be reached at this address.";
const privateAddress =
  "This address is in a private network. The app's operator can allow it in CONNECTION_HOSTS.";
