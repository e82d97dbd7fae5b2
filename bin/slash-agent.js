#!/usr/bin/env node
/** Starts the built program: in a checkout, in the image and from a package. */
import { prepareCheckout } from './prepare-checkout.js';

prepareCheckout();
await import('../dist/bin/slash-agent.js');
