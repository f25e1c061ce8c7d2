/** Event loops on selectors, and the connections on them. */
@NullMarked
package io.dht4j.transport.tcp.internal.loop;

import org.jspecify.annotations.NullMarked;
