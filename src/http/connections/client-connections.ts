import type pino from 'pino';
import type { Settings } from '../../platform/config/settings.ts';
import { atMostOnceAMinute } from '../../platform/kernel/rare-log.ts';
import { type Connections, createConnections } from './connections.ts';
import { connectionsWithin, descriptorLimit } from './descriptors.ts';

const LOOPBACK = /^(::ffff:)?127\.|^::1$/i;

export interface ClientConnectionsOptions {
  readonly settings: Pick<
    Settings,
    'MAX_CONNECTIONS' | 'MAX_CONNECTIONS_PER_ADDRESS' | 'WRITE_TIMEOUT_MS'
  >;
  readonly logger: Pick<pino.Logger, 'warn'>;
  /** Whether an address is that of a trusted proxy, which stands for many clients. */
  readonly isTrustedProxy: (address: string) => boolean;
}

/** Bounds client connections by the settings, and by the number of files that the process may open. */
export function openClientConnections(options: ClientConnectionsOptions): Connections {
  const { settings, logger, isTrustedProxy } = options;
  const limit = descriptorLimit();
  const maxConnections = connectionsWithin(limit, settings.MAX_CONNECTIONS);
  if (maxConnections < settings.MAX_CONNECTIONS) {
    logger.warn(
      { descriptorLimit: limit, maxConnections },
      'The limit on open files is too low for MAX_CONNECTIONS, so fewer connections are accepted. Raise it with ulimit -n or LimitNOFILE.',
    );
  }
  return createConnections({
    maxConnections,
    maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
    writeTimeoutMs: settings.WRITE_TIMEOUT_MS,
    isExempt: (address) => LOOPBACK.test(address) || isTrustedProxy(address),
    onFull: atMostOnceAMinute(() =>
      logger.warn(
        'Connections have reached MAX_CONNECTIONS or MAX_CONNECTIONS_PER_ADDRESS. Those unread or idle for longest are closed for new ones.',
      ),
    ),
  });
}
