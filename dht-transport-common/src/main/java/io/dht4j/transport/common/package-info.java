/** What the transports and the public APIs of this project share. Applications have no use for it. */
@NullMarked
package io.dht4j.transport.common;

import org.jspecify.annotations.NullMarked;
