import { startApiStub } from '../network/api-stub.ts';
import { startProduct } from './product.ts';

type Stub = Awaited<ReturnType<typeof startApiStub>>;

/** Starts everything, with a bot whose runs API is a stub that gives this answer. */
export async function stubbedProduct(...run: Parameters<Stub['answers']>) {
  const product = await startProduct();
  const api = await startApiStub();
  api.answers(...run);
  await product.startBot({ runsApi: { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' } });
  return { ...product, api };
}
