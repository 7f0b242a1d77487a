import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { Agent } from 'undici';
import {
  addGatewayOptions,
  addNarrowingOptions,
  type GatewayOptions,
  gatewayUrl,
  mcpAddress,
  type NarrowingOptions,
  requireGatewayKey,
} from '../shared/gateway-address.ts';
import { untilSignal } from '../shared/until-signal.ts';
import { type Bridge, createBridge, MAX_MESSAGE_BYTES } from './bridge.ts';
import { readLines } from './lines.ts';
import { createLineOutput, type LineOutput } from './output.ts';

/** How long answers under way may take once a signal has come: hosts kill after two seconds. */
const GRACE_MS = 1500;

export function stdioCommand(): Command {
  const command = new Command('stdio').description(
    'Bridge standard input and output to a running gateway, for MCP hosts that only start local commands.',
  );
  return addNarrowingOptions(addGatewayOptions(command))
    .addHelpText('after', '\n"tool-gateway connect stdio" prints the configuration for a host.')
    .action(runBridge);
}

async function runBridge(options: GatewayOptions & NarrowingOptions): Promise<void> {
  const address = mcpAddress(gatewayUrl(options), options);
  const key = requireGatewayKey(options);
  // A call may take its time, and a subscription is silent for long: the gateway ends both.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, allowH2: false });
  const output = createLineOutput(process.stdout);
  const bridge = createBridge({ gateway: { address, key, dispatcher }, output, report });
  report(`passes messages on to ${address}`);
  const signal = untilSignal();
  await Promise.race([passInput(bridge, output), signal]);
  bridge.endSubscriptions();
  const patience = signal.then(() => sleep(GRACE_MS, undefined, { ref: false }));
  await Promise.race([bridge.idle(), patience]);
  await bridge.close();
  process.stdin.destroy();
  await dispatcher.destroy();
}

/** Reads no further while the host does not read: else its answers would pile up here. */
async function passInput(bridge: Bridge, output: LineOutput): Promise<void> {
  for await (const line of readLines(process.stdin, MAX_MESSAGE_BYTES)) {
    bridge.accept(line);
    await output.ready();
  }
}

/** Standard output is for messages alone; hosts keep what is written here in their log. */
function report(text: string): void {
  process.stderr.write(`tool-gateway stdio: ${text}\n`);
}
