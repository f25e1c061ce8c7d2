/** Calls to peers over any protocol: the queues before a connection, their bounds, and the received frames. */
@NullMarked
package io.dht4j.transport.common.calls;

import org.jspecify.annotations.NullMarked;
