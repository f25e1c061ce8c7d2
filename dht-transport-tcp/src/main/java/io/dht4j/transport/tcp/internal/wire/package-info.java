/** The protocol of a connection: hellos and records. */
@NullMarked
package io.dht4j.transport.tcp.internal.wire;

import org.jspecify.annotations.NullMarked;
