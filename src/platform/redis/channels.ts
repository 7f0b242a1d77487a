// Apart from the bus, which loads the Redis client.

/** The channel of one replica, and the channel of all replicas. */
export const toReplica = (replica: string): string => `replica:${replica}`;
export const TO_ALL = 'replicas';
