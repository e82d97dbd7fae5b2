#!/usr/bin/env node
import { prepareCheckout } from '../../../bin/prepare-checkout.js';

prepareCheckout();
await import('../dist/demo.js');
