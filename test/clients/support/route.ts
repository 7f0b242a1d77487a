import { nginxAvailable, startNginx } from '../../support/nginx.ts';

/** How clients reach a gateway. */
export interface Route {
  readonly url: string;
  close(): Promise<void>;
}

export const straightTo = async (gatewayUrl: string): Promise<Route> => ({
  url: gatewayUrl,
  close: async () => undefined,
});

/** Through a reverse proxy, if one is installed: it may buffer streams and close idle ones. */
export const behindNginx = nginxAvailable ? startNginx : straightTo;
