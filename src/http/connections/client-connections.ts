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
  /** Proxies stand for many clients; only this machine does unless said otherwise. */
  readonly isTrustedProxy?: (address: string) => boolean;
}

/** The bounds on clients' connections as they are set, within what the process may open. */
export function openClientConnections(options: ClientConnectionsOptions): Connections {
  const { settings, logger, isTrustedProxy = () => false } = options;
  const limit = descriptorLimit();
  const maxConnections = connectionsWithin(limit, settings.MAX_CONNECTIONS);
  if (maxConnections < settings.MAX_CONNECTIONS) {
    logger.warn(
      { descriptorLimit: limit, maxConnections },
      'The limit of open files is too low for MAX_CONNECTIONS. Fewer connections are accepted; raise it with ulimit -n or LimitNOFILE.',
    );
  }
  return createConnections({
    maxConnections,
    maxConnectionsPerAddress: settings.MAX_CONNECTIONS_PER_ADDRESS,
    writeTimeoutMs: settings.WRITE_TIMEOUT_MS,
    isExempt: (address) => LOOPBACK.test(address) || isTrustedProxy(address),
    onFull: atMostOnceAMinute(() =>
      logger.warn(
        'Connections have reached MAX_CONNECTIONS or MAX_CONNECTIONS_PER_ADDRESS: the longest unread or idle ones are closed for new ones.',
      ),
    ),
  });
}
