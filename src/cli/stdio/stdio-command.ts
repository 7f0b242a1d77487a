import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { Agent } from 'undici';
import { mcpAddress, type NarrowingOptions } from '../../access/connect/connect-clients.ts';
import {
  addGatewayOptions,
  addNarrowingOptions,
  type GatewayOptions,
  gatewayUrl,
  requireGatewayKey,
} from '../shared/gateway-address.ts';
import { untilSignal } from '../shared/until-signal.ts';
import {
  type Bridge,
  createBridge,
  createLineOutput,
  type LineOutput,
  MAX_MESSAGE_BYTES,
} from './bridge.ts';

/** How long responses in flight may take after a signal. Hosts kill the process after two seconds. */
const GRACE_MS = 1500;

export function stdioCommand(): Command {
  const command = new Command('stdio').description(
    'Connect standard input and output to a running gateway, for MCP hosts that only start local commands.',
  );
  return addNarrowingOptions(addGatewayOptions(command))
    .addHelpText(
      'after',
      '\nExample: tool-gateway stdio --url https://tools.example.com --tools "kma_*"\nTo print the configuration for a host, run: tool-gateway connect stdio',
    )
    .action(runBridge);
}

async function runBridge(options: GatewayOptions & NarrowingOptions): Promise<void> {
  const address = mcpAddress(gatewayUrl(options), options);
  const key = requireGatewayKey(options);
  // Calls can be slow and subscriptions silent for long. The gateway bounds both.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, allowH2: false });
  const output = createLineOutput(process.stdout);
  const bridge = createBridge({ gateway: { address, key, dispatcher }, output, report });
  report(`forwarding messages to ${address}`);
  const signal = untilSignal();
  await Promise.race([passInput(bridge, output), signal]);
  bridge.endSubscriptions();
  const grace = signal.then(() => sleep(GRACE_MS, undefined, { ref: false }));
  await Promise.race([bridge.idle(), grace]);
  await bridge.close();
  process.stdin.destroy();
  await dispatcher.destroy();
}

/** Stops reading while the host does not read its responses, which would otherwise pile up here. */
async function passInput(bridge: Bridge, output: LineOutput): Promise<void> {
  for await (const line of readLines(process.stdin, MAX_MESSAGE_BYTES)) {
    bridge.accept(line);
    await output.ready();
  }
}

/** Writes to standard error, which hosts store in their log. Standard output is for messages only. */
function report(text: string): void {
  process.stderr.write(`tool-gateway stdio: ${text}\n`);
}

const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

/**
 * The lines of a byte stream, without their line feeds. Yields null for a line longer than `maxBytes`, as soon as the
 * bound is exceeded. What follows the last line feed counts as a line.
 */
export async function* readLines(
  input: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer | null> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    let from = 0;
    while (from < chunk.length) {
      const end = chunk.indexOf(LINE_FEED, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      const fitted = size <= maxBytes;
      size += part.length;
      if (size <= maxBytes) parts.push(part);
      else if (fitted) {
        parts = [];
        yield null;
      }
      if (end < 0) break;
      if (size <= maxBytes) yield Buffer.concat(parts);
      parts = [];
      size = 0;
      from = end + 1;
    }
  }
  const rest = size <= maxBytes ? Buffer.concat(parts) : NOTHING;
  if (rest.length > 0) yield rest;
}
