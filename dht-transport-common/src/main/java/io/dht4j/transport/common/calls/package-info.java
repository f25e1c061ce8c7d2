/**
 * Calls to peers, whatever carries them: the queues before a connection, their bounds, and the frames that come back.
 */
@NullMarked
package io.dht4j.transport.common.calls;

import org.jspecify.annotations.NullMarked;
