/** The event loops, and the tasks that they repeat. */
@NullMarked
package io.dht4j.transport.grpc.internal.loops;

import org.jspecify.annotations.NullMarked;
