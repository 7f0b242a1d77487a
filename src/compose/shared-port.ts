/** For the supervisor of workers, which loads little of the gateway. */
export { assertCanListen } from '../http/listen.ts';
