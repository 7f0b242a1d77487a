import { assertCanListen, canSharePort } from '../http/listen.ts';
import { StartupError } from '../platform/kernel/error.ts';

/** Resolves with the port on which workers can listen together; a free one instead of 0. Throws StartupError. */
export async function openSharedPort(host: string, port: number): Promise<number> {
  const bound = await assertCanListen(host, port);
  if (await canSharePort(host)) return bound;
  throw new StartupError(
    `WORKERS needs Linux and Node.js 23.1 or newer: here, processes cannot share a port (Node.js ${process.version}, ${process.platform}). Unset WORKERS, and start several gateways behind a load balancer, each with its own PORT and DATA_DIR.`,
  );
}
