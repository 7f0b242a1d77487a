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

/** By way of a reverse proxy, where there is one to start: it may buffer streams and end quiet ones. */
export const behindNginx = nginxAvailable ? startNginx : straightTo;
